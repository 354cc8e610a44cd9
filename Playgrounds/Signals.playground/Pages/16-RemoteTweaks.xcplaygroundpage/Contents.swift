//: # Tweaks from a server
//:
//: Flags that are fetched from a server, kept for the next launch, and different for each user.
//:
//: Run it anywhere with `swift run --package-path Playgrounds 16-RemoteTweaks`.

import Foundation
import SignalsKit

//: ## The server
//:
//: A closure plays the server here. For HTTP, use `HTTPTweakFetcher(url:)` and `HTTPTweakStream(url:)`.

let limits = MutableProperty(["anna": 20, "ben": 30])

@Sendable func answer(_ request: TweakRequest) throws -> TweakAnswer {
  guard let limit = limits.value[request.context.targetingKey ?? ""] else { throw TweakRequestFailure.status(404) }
  if request.etag == "\(limit)" { return .notModified }
  return .body(Data(#"{ "shop": { "limit": { "Value": \#(limit) } } }"#.utf8), etag: "\(limit)", version: limit)
}

//: ## The first launch
//:
//: Values come from the server, or else from the cache, or else from those that the app is shipped with.

let directory = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString, directoryHint: .isDirectory)
let cache = TweakCache(container: try AppGroupsContainer(directory: directory), environment: "production")
let patches = Emitter<TweakPatch, any Error>()

func launch(for user: String, isOffline: Bool = false) -> RemoteTweakProvider {
  RemoteTweakProvider(
    bootstrap: [Tweak(feature: "shop", variable: "limit", value: 10)], context: TweakContext(targetingKey: user),
    isOffline: isOffline, cache: cache, stream: { _ in patches.eraseToAnySignal() }
  ) { try answer($0) }
}

let limit = TweakKey("shop", "limit", default: 5)
let flags = launch(for: "anna")
let manager = TweakManager(providers: [flags])
print(await flags.ready(within: .seconds(3)), manager[limit])  // Prints "network 20"

//: ## Patches
//:
//: While the stream is connected, the provider does not poll.

let watching = manager.signal(for: limit).sink { print("limit", $0) }  // Prints "limit 20"
let event = ServerSentEvent(data: #"{ "version": 21, "tweaks": { "shop": { "limit": { "Value": 21 } } } }"#)
patches.send(try TweakPatch(event))  // Prints "limit 21"

//: ## Another user
//:
//: No user ever has the values of another one.

try await flags.identify(TweakContext(targetingKey: "ben"))
// Prints "limit 10"
// Prints "limit 30"
watching.cancel()

//: ## The next launch
//:
//: It has the cached values before the network answers, or without one.

let next = launch(for: "ben", isOffline: true)
let details = TweakManager(providers: [next]).details(for: limit)
print(details.value, details.reason.rawValue)  // Prints "30 CACHED"

//: ## An override that ends
//:
//: It falls back by itself, in every process.

let overrides = EphemeralTweakProvider()
manager.insert(overrides)
try manager.set(99, for: limit, until: Date(timeIntervalSinceNow: 3_600))
print(manager[limit])  // Prints "99"
try FileManager.default.removeItem(at: directory)
