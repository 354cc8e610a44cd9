/// Everything that is measured, in the order of the table.
public let rows: [Row] =
  emitting + properties + deriving + operators + subscribing + sequences + files + logs + stores + containers + flags

private let stores = [
  Row(
    "storeCommit", "one row, one transaction", isSlow: true, beside: ["GRDB", "SQLite"], aim: .atMost(0.77, of: "GRDB")
  ),
  Row(
    "storeBatch", "1000 rows, one transaction", isSlow: true, beside: ["GRDB", "SQLite"],
    aim: .atMost(1.43, of: "SQLite")),
  Row(
    "storePoint", "a row by its key, one transaction", isSlow: true, beside: ["GRDB", "SQLite"],
    aim: .atMost(1.43, of: "SQLite")),
  Row(
    "storePoints", "rows by their keys in one transaction", isSlow: true, beside: ["GRDB", "SQLite"],
    aim: .atMost(1.43, of: "SQLite")),
  Row(
    "storeLive", "a commit → live read in the same process", block: 1, isSlow: true, isLatency: true, beside: ["GRDB"],
    aim: .atMost(0.54, of: "GRDB")),
  Row(
    "storeObject", "a commit → live object in the same process", block: 1, isSlow: true, isLatency: true),
  Row("storeShared", "a commit → sink in another process", block: 1, isSlow: true, isLatency: true),
  Row(
    "modelCommit", "one Codable value put, one transaction", isSlow: true, beside: ["GRDB"],
    aim: .atMost(0.77, of: "GRDB")),
  Row(
    "modelBatch", "1000 Codable values put, one transaction", isSlow: true, beside: ["GRDB"],
    aim: .atMost(0.29, of: "GRDB")),
  Row(
    "modelPoints", "Codable values by their keys, one transaction", isSlow: true, beside: ["GRDB"],
    aim: .atMost(0.125, of: "GRDB")),
  Row("modelScan", "1000 Codable values by one query", isSlow: true, beside: ["GRDB"]),
  Row(
    "queueJob", "a job added, claimed and finished, in three transactions", isSlow: true, beside: ["SQLite"],
    aim: .atMost(2, of: "SQLite")),
  Row(
    "queueBatch", "the same, added together, claimed by 16, and finished one by one", isSlow: true,
    beside: ["SQLite"], aim: .atMost(2, of: "SQLite")),
  Row(
    "storeTyped", "a value by a typed query, built and read", isSlow: true, beside: ["\(ours), by name"],
    aim: .atMost(1, of: "\(ours), by name")),
]

private let containers = [
  Row(
    "containerSwitch", "switch of environments with 100,000 files", block: 1, isSlow: true,
    beside: ["\(ours), empty", "10,000 files one by one"], aim: .atMost(3, of: "\(ours), empty"))
]

private let flags = [
  Row(
    "flagName", "flag by name, through three providers", beside: [configuration],
    aim: .atMost(1.0 / 30, of: configuration)),
  Row("flagText", "the same, a text", aim: .atMost(1.0 / 30, of: "flagName.\(configuration)")),
  Row("flagKey", "the same by a typed key", aim: .atMost(0.4, of: "flagName.\(ours)")),
  Row("flagStructure", "a structure by a typed key, once decoded", aim: .atMost(2, of: "flagName.\(ours)")),
  Row("flagWrapper", "the same by a property wrapper", aim: .atMost(0.1, of: "flagName.\(ours)")),
  Row(
    "flagLoad1000", "load a file of 1,000 flags", block: 1, isSlow: true, beside: [configuration],
    aim: .atMost(0.1, of: configuration)),
  Row("flagLoad", "load one of 10,000", block: 1, isSlow: true),
  Row(
    "flagReload", "one of 10,000 changes in the file → its sink", block: 1, isSlow: true,
    aim: .atMost(1, of: "flagLoad.\(ours)")),
  Row(
    "flagChange", "set one of 10,000 observed flags → its sink", beside: ["\(ours), alone"],
    aim: .atMost(1.5, of: "\(ours), alone")),
]

private let combine = "OpenCombine"
private let stream = "AsyncStream"

private let emitting = [
  Row("idle", "send, no subscriber", beside: [combine], aim: .atMost(0.05, of: combine)),
  Row(
    "sink", "source → sink", beside: [combine, "exchange pair", "closure call"], aim: .atMost(0.12, of: combine)
  ),
  Row("mapFilter", "map.filter → sink", beside: [combine], aim: .atMost(0.12, of: combine)),
  Row("map1", "1 map → sink", beside: [combine], aim: .atMost(0.12, of: combine)),
  Row("map10", "10 maps → sink", beside: [combine, "OpenCombine erased"], aim: .atMost(0.05, of: combine)),
  Row("map16", "16 maps → sink", aim: .atMost(3, of: "map1.\(ours)")),
  Row(
    "fanOut10", "fan-out 10, per delivery", beside: [combine, "closure call"], aim: .atMost(0.032, of: combine)
  ),
  Row(
    "fanOut100", "fan-out 100, per delivery", beside: [combine, "closure call"], aim: .atMost(0.032, of: combine)
  ),
  Row(
    "fanOut1000", "fan-out 1000, per delivery", beside: [combine, "closure call"], aim: .atMost(0.032, of: combine)
  ),
  Row(
    "contended", "two threads → one source", block: 1_000_000, isSlow: true, beside: [combine],
    aim: .atMost(1, of: combine)
  ),
]

private let properties = [
  Row(
    "propertySet", "property set → sink", beside: [combine, "mutex and exchange pair"],
    aim: .atMost(0.22, of: combine)
  ),
  Row("propertyRead", "property read", beside: [combine, "mutex pair"], aim: .atMost(0.7, of: combine)),
]

private let mutex = "propertyRead.mutex pair"
private let deriving = [
  Row(
    "derivedOne", "property → derived → sink", beside: ["Observation"], aim: .atMost(10, of: mutex)
  ),
  Row("derivedBatch", "batch of 2 → derived → sink"),
  Row("derivedDiamond", "diamond: 5 arms, their sum", aim: .atMost(35, of: mutex)),
  Row("derivedTriangle", "triangle: 10 steps, their sum"),
  Row("derivedBroad", "broad: 50 × 2 derived, 50 sinks"),
  Row("derivedDeep", "deep: 50 derived in a row"),
  Row("derivedRepeated", "repeated: one source, 30 times"),
  Row("derivedAvoidable", "avoidable: a result that stays equal"),
]

private let operators = [
  Row("scan", "scan → sink", beside: [combine], aim: .atMost(0.12, of: combine)),
  Row("removeDuplicates", "removeDuplicates → sink", beside: [combine], aim: .atMost(0.05, of: combine)),
  Row("combineLatest", "combineLatest of 2 → sink", beside: ["exchange pair"], aim: .atMost(3.3, of: "exchange pair")),
]

private let subscribing = [
  Row("subscribe0", "subscribe + cancel", beside: [combine, "3 mallocs"], aim: .atMost(0.24, of: combine)),
  Row("subscribe10000", "subscribe + cancel, 10,000 live", beside: [combine], aim: .atMost(0.17, of: combine)),
  Row("cancel10000", "cancel 1 of 10,000", beside: [combine], aim: .atMost(0.15, of: combine)),
]

private let sequences = [
  Row("drain", "for await over a full buffer", beside: [stream], aim: .atMost(0.056, of: stream)),
  Row("drainMain", "the same on the main actor", beside: [stream], aim: .atMost(1.7, of: "drain.\(ours)")),
  Row("producer", "producer task → consumer task", beside: [stream, "MPSC channel"], aim: .atMost(0.28, of: stream)),
  Row("lockStep", "send, wait until the loop has it", beside: [stream], aim: .atMost(0.8, of: stream)),
  Row("asyncFanOut100", "100 loops, per delivery", deliveries: 100, beside: [stream], aim: .atMost(0.18, of: stream)),
]

private let raw = "raw inotify"
private let foundation = "Foundation atomic"
private let noJSON = "\(ours), no JSON"
private let configuration = "swift-configuration"
private let bareLoop = "bare flock loop"
private let bareAppend = "bare append loop"
private let bareCalls = "the same calls, watched"

private let files = [
  Row(
    "fileValue", "shared file: read the value", beside: ["mutex pair", configuration],
    aim: .atMost(5.3, of: "mutex pair")),
  Row(
    "fileRename", "rename → file observer in another process", block: 1, isSlow: true, isLatency: true,
    beside: [raw], aim: .atMost(1.5, of: raw)
  ),
  Row(
    "fileLatency", "shared file: write → sink in another process", block: 1, isSlow: true, isLatency: true,
    beside: [foundation, raw, noJSON, "pipe"], aim: .atMost(0.5, of: foundation)
  ),
  Row(
    "fileLatencyMemory", "the same in /dev/shm", block: 1, isSlow: true, isLatency: true,
    beside: [foundation, raw, noJSON], aim: .atMost(1, of: foundation)
  ),
  Row(
    "fileReload", "foreign change → decoded value in another process", block: 1, isSlow: true, isLatency: true,
    beside: [raw, "\(configuration), 10 ms poll"], aim: .atMost(2, of: raw)
  ),
  Row(
    "fileUpdate", "shared file: update, 4 processes at once", isSlow: true, beside: [bareLoop],
    aim: .atMost(1.67, of: bareLoop)
  ),
  Row(
    "fileUpdateMemory", "the same in /dev/shm", isSlow: true, beside: [bareLoop], aim: .atMost(1.67, of: bareLoop)
  ),
  Row(
    "suiteSetMemory", "suite in /dev/shm: set a key among a hundred", isSlow: true, beside: [bareAppend, bareCalls],
    aim: .atMost(2.7, of: bareAppend)),
  Row(
    "suiteSet", "the same on a disk", isSlow: true, beside: [bareAppend, bareCalls], aim: .atMost(3, of: bareAppend)),
  Row(
    "suiteSetObserved", "the same in /dev/shm, with an observer in another process", isSlow: true,
    beside: [bareAppend, bareCalls], aim: .atMost(2.2, of: bareAppend)),
  Row("suiteUpdateMemory", "suite in /dev/shm: update a preference of the process", isSlow: true),
  Row(
    "suiteSetCrowd", "the same, 4 processes at once", isSlow: true, beside: [bareAppend],
    aim: .atMost(4.5, of: bareAppend)),
  Row(
    "suiteLatencyMemory", "suite in /dev/shm: set → sink of the key in another process", block: 1, isSlow: true,
    isLatency: true, beside: [raw], aim: .atMost(2.5, of: raw)
  ),
]

private let logs = [
  Row("logAppend", "log: append", beside: ["JSON", "raw write"], aim: .atMost(3, of: "raw write")),
  Row(
    "logLatency", "log: append → sink in another process", block: 1, isSlow: true, isLatency: true,
    beside: [raw], aim: .atMost(1.7, of: raw)
  ),
  Row(
    "logLatencyMemory", "the same in /dev/shm", block: 1, isSlow: true, isLatency: true,
    beside: [raw], aim: .atMost(1.7, of: raw)
  ),
]
