import AppGroups
import CLibrary
import Dispatch
import Foundation
@testable import Inspector
import Signals
import TestSupport
import Testing

/// Processes that publish their signals.
@Suite struct PublishingTests {
  private func graph(_ snapshot: InspectorSnapshot) -> InspectedGraph? {
    guard case .graph(let graph)? = snapshot.resources(.graph).first?.typedDetails else { return nil }
    return graph
  }

  @Test func `publications that begin at the same moment leave each other's sockets alone`() async throws {
    let directory = try InspectedDirectory()
    let group = directory.container.containerURL
    let sockets = group.appending(path: LocalListener.graphs).path
    let names = MutableProperty<[String]>([])
    try await onThread {
      withThreads(8) { _ in
        let queue = DispatchQueue(label: "publishing")
        for _ in 0..<50 {
          let name = LocalListener.newName()
          do {
            let listener = try LocalListener(name, folder: LocalListener.graphs, of: group, on: queue) { close($0) }
            if !FileManager.default.fileExists(atPath: "\(sockets)/\(name)") { names.modify { $0.append(name) } }
            listener.end()
          } catch {
            Issue.record(error)
          }
        }
      }
    }
    #expect(names.value.isEmpty, "\(names.value.count) sockets were removed")
    #expect(try FileManager.default.contentsOfDirectory(atPath: sockets).isEmpty)
  }

  @Test func `a publication that begins is no question for another one`() async throws {
    let directory = try InspectedDirectory()
    let questions = MutableProperty(0)
    let name = UUID().uuidString
    let source = MutableProperty(5).registered(as: name) { number in
      questions.modify { $0 += 1 }
      return "\(number)"
    }
    let publication = try Inspector.publish(in: directory.container)
    for _ in 0..<10 { try Inspector.publish(in: directory.container).cancel() }
    let reader = GraphReader(directory.url)
    reader.ask {}
    await withCheckedContinuation { continuation in reader.afterwards { continuation.resume() } }
    #expect(reader.graphs.map(\.dropped) == [0])
    #expect(questions.value == 1)
    publication.cancel()
    withExtendedLifetime(source) {}
  }

  @Test func `registered signals appear with their dependencies and subscriptions until the end`() async throws {
    let directory = try InspectedDirectory()
    let name = UUID().uuidString
    let volume = MutableProperty(5).registered(as: "volume \(name)") { "\($0) of 10" }
    let loud = Property.derived(volume) { $0 > 7 }.registered(as: "loud \(name)")
    let keys = Emitter<String, Never>().registered(as: "keys \(name)")
    let subscription = keys.filter { !$0.isEmpty }.sink { _ in }
    let publication = try Inspector.publish(in: directory.container)
    let inspector = try Inspector(directory: directory.url)
    let snapshot = try await inspector.wait { snapshot in
      self.graph(snapshot)?.nodes.contains { $0.name == "keys \(name)" } ?? false
    }
    let shown = try #require(graph(snapshot))
    #expect(shown.pid == ProcessInfo.processInfo.processIdentifier)
    let (first, second) = (
      shown.nodes.first { $0.name == "volume \(name)" }, shown.nodes.first { $0.name == "loud \(name)" }
    )
    #expect(first?.value == "5 of 10")
    #expect(first?.kind == "property")
    // Without a description, the value is not visible.
    #expect(second?.value == nil)
    #expect(second?.kind == "derived")
    #expect(shown.edges.contains { $0.from == first?.id && $0.to == second?.id })
    let node = try #require(shown.nodes.first { $0.name == "keys \(name)" })
    #expect(node.subscribers == 1)
    #expect(shown.consumers.first { $0.node == node.id }?.steps == ["filter", "sink"])
    #expect(snapshot.processes.contains { $0.publishes })

    volume.value = 8
    _ = try await inspector.wait { snapshot in
      self.graph(snapshot)?.nodes.contains { $0.name == "volume \(name)" && $0.value == "8 of 10" } ?? false
    }
    for number in 0..<100 { volume.value = number }
    let counted = try await inspector.wait { snapshot in
      self.graph(snapshot)?.nodes.first { $0.name == "volume \(name)" }?.changes == "101"
    }
    #expect((graph(counted)?.nodes.first { $0.name == "volume \(name)" }?.rate?.perSecondInMinute ?? 0) > 1)
    // The rate of the last second is soon 0, so the changes go on until it is seen.
    let changing = Task {
      while !Task.isCancelled {
        volume.value += 1
        try await Task.sleep(for: .milliseconds(1))
      }
    }
    _ = try await inspector.wait { snapshot in
      (self.graph(snapshot)?.nodes.first { $0.name == "volume \(name)" }?.rate?.perSecond ?? 0) > 1
    }
    changing.cancel()
    // An emitter counts while an inspector asks, and the count is no subscription of the app.
    for _ in 0..<7 { keys.send("a") }
    let sent = try await inspector.wait { snapshot in
      self.graph(snapshot)?.nodes.first { $0.name == "keys \(name)" }?.changes == "7"
    }
    let emitter = try #require(graph(sent)?.nodes.first { $0.name == "keys \(name)" })
    #expect((emitter.rate?.perSecondInMinute ?? 0) > 0)
    #expect(emitter.subscribers == 1)
    #expect(graph(sent)?.consumers.count { $0.node == emitter.id } == 1)
    publication.cancel()
    _ = try await inspector.wait { $0.resources(.graph).isEmpty }
    #expect(try directory.temporary.names(in: ".shared/signals").isEmpty)
    subscription.cancel()
    withExtendedLifetime(loud) {}
  }

  @Test func `the directory of sockets is closed to others, and a long path is no obstacle`() async throws {
    let temporary = try TemporaryDirectory()
    let deep = temporary.url.appending(
      path: String(repeating: "d", count: 120) + "/" + String(repeating: "e", count: 90))
    let container = try AppGroupsContainer(directory: deep)
    let publication = try Inspector.publish(in: container)
    let folder = deep.appending(path: ".shared/signals")
    let mode = try FileManager.default.attributesOfItem(atPath: folder.path)[.posixPermissions] as? Int
    #expect(mode == 0o700)
    let inspector = try Inspector(directory: deep)
    _ = try await inspector.wait { !$0.resources(.graph).isEmpty }
    publication.cancel()
  }

  @Test func `a process whose tasks are all blocked shows its signals`() async throws {
    let directory = try InspectedDirectory()
    let peer = try PeerProcess()
    _ = try await peer.send("block-tasks")
    _ = try await peer.send("publish \(directory.url.path)")
    let inspector = try Inspector(directory: directory.url)
    let snapshot = try await inspector.wait { !$0.resources(.graph).isEmpty }
    #expect(graph(snapshot)?.pid == peer.identifier)
    try await peer.kill()
  }

  @Test func `a process that is stopped keeps its last answer until it ends`() async throws {
    let directory = try InspectedDirectory()
    let peer = try PeerProcess()
    try await peer.send("publish \(directory.url.path)")
    let reader = GraphReader(directory.url)
    func ask() async -> [Int32] {
      reader.ask {}
      await withCheckedContinuation { continuation in reader.afterwards { continuation.resume() } }
      return reader.graphs.map(\.pid)
    }
    #expect(await ask() == [peer.identifier])
    peer.signal(SIGSTOP)
    // Its queue of connections is soon full.
    for _ in 0..<16 { #expect(await ask() == [peer.identifier]) }
    try await peer.kill()
    #expect(await ask().isEmpty)
  }

  @Test func `the socket that a killed process left is removed by the next one`() throws {
    let directory = try InspectedDirectory()
    let folder = directory.file(".shared/signals")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    // No process has this identifier.
    try Data().write(to: folder.appending(path: "4194999-x"))
    let publication = try Inspector.publish(in: directory.container)
    let names = try directory.temporary.names(in: ".shared/signals")
    #expect(names.count == 1)
    #expect(names.first?.hasPrefix("\(ProcessInfo.processInfo.processIdentifier)-") == true)
    publication.cancel()
  }

  @Test func `an answer of a process says what the protocol's encoder would say`() throws {
    let texts = ["", "a", "\"quoted\" \\ /", "two\nlines\t\u{1}\u{8}\u{1f}", "日本 👍🏽", "\u{2028}"]
    for text in texts {
      let quoted = String(decoding: try InspectorJSON.encode(text), as: UTF8.self)
      let described = Data(
        """
        {"consumers":[{"node":"n0","place":\(quoted),"steps":["map",\(quoted)]},{"node":"n1","steps":[]}],"dropped":3,
        "edges":[{"from":"n0","to":"n1"},{"from":"i2","to":"n1"}],"files":[{"path":\(quoted),"type":"object"}],
        "nodes":[{"changes":"18446744073709551615","id":"n0","internal":false,"kind":"property","name":\(quoted),
        "place":"App/Main.swift:1","rate":{"s1":0.5,"s60":1e+20},"subscribers":2,"type":"Int","value":\(quoted)},
        {"id":"i2","internal":true,"kind":"source","name":"x","place":"","subscribers":0,"type":""}],
        "pid":-7,"process":\(quoted)}
        """.utf8)
      let graph = try InspectorJSON.decode(InspectedGraph.self, from: described)
      #expect(try InspectorJSON.decode(InspectedGraph.self, from: Data(graph.json)) == graph)
    }
    let empty = try InspectorJSON.decode(
      InspectedGraph.self,
      from: Data(#"{"consumers":[],"dropped":0,"edges":[],"nodes":[],"pid":1,"process":""}"#.utf8))
    #expect(try Data(empty.json) == InspectorJSON.encode(empty))
  }

  @Test func `numbers of changes that no source has reached give no rate`() throws {
    var rates = GraphRates()
    var time = ContinuousClock.now
    for changes in [Int.min, .max, -1, .max] {
      var graph = try InspectorJSON.decode(
        InspectedGraph.self,
        from: Data(
          """
          {"consumers":[],"dropped":0,"edges":[],"nodes":[{"changes":"\(changes)","id":"n0","internal":false,
          "kind":"property","name":"volume","place":"","subscribers":0,"type":"Int"}],"pid":1,"process":""}
          """.utf8))
      time += .seconds(1)
      rates.add(to: &graph, at: time)
      #expect(graph.nodes.first?.rate == nil)
    }
  }

  @Test func `a source keeps its rate when sources that were registered before it end`() async throws {
    let directory = try InspectedDirectory()
    let name = UUID().uuidString
    var earlier = [MutableProperty(0).registered(as: "earlier \(name)")]
    let number = MutableProperty(0).registered(as: "number \(name)")
    let publication = try Inspector.publish(in: directory.container)
    let inspector = try Inspector(directory: directory.url)
    func wait(_ condition: @escaping @Sendable (InspectedGraph, InspectedGraph.Node) -> Bool) async throws {
      _ = try await inspector.wait { snapshot in
        guard let graph = self.graph(snapshot), let node = graph.nodes.first(where: { $0.name == "number \(name)" })
        else { return false }
        return condition(graph, node)
      }
    }
    for value in 1...600 { number.value = value }
    // The rate is known from the second answer on.
    try await wait { $1.changes == "600" }
    for value in 1...600 { number.value = -value }
    try await wait { ($1.rate?.perSecondInMinute ?? 0) >= 10 }
    earlier = []
    try await wait { graph, _ in !graph.nodes.contains { $0.name == "earlier \(name)" } }
    try await wait { ($1.rate?.perSecondInMinute ?? 0) >= 10 }
    #expect(earlier.isEmpty)
    publication.cancel()
  }

  @Test func `a subscription of a source that is not registered appears within a second or two`() async throws {
    let directory = try InspectedDirectory()
    let name = UUID().uuidString
    let number = MutableProperty(1).registered(as: "number \(name)")
    let double = Property.derived(number) { $0 * 2 }
    let publication = try Inspector.publish(in: directory.container)
    let inspector = try Inspector(directory: directory.url)
    let before = try await inspector.wait { snapshot in
      self.graph(snapshot)?.nodes.contains { $0.name == "number \(name)" } ?? false
    }
    let id = graph(before)?.nodes.first { $0.name == "number \(name)" }?.id
    #expect(graph(before)?.consumers.contains { $0.node == id } == false)
    let subscription = double.sink { _ in }
    let after = try await inspector.wait { snapshot in
      guard let graph = self.graph(snapshot) else { return false }
      let id = graph.nodes.first { $0.name == "number \(name)" }?.id
      return graph.consumers.contains { $0.node == id && $0.steps == ["derived", "sink"] }
    }
    #expect(graph(after)?.nodes.contains { $0.name == "number \(name)" } == true)
    subscription.cancel()
    publication.cancel()
  }
}
