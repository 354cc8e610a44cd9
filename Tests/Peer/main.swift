// A process that runs commands from its standard input, for tests that need several processes.
//
// One line is one command: a word and its arguments, separated by spaces. The last argument may contain spaces. Each
// command is answered by one line, "ok" and a result, or "error" and a reason. Lines that begin with "event" report
// observations in between. The end of the input ends the process.

let console = Console()
let commands = Commands(families: [
  ValueCommands(console: console),
  SuiteCommands(console: console),
  LoopCommands(),
  LockCommands(),
  HostileCommands(),
  LogCommands(console: console),
  LifetimeCommands(),
  VersionCommands(console: console),
  FaultCommands(console: console),
  DurabilityCommands(),
  HistoryCommands(console: console),
  KeepingCommands(),
  PresenceCommands(console: console),
  ProcessCommands(),
  WatchCommands(console: console),
  StoreCommands(console: console),
  DatabaseCommands(),
  LiveCommands(),
  ShareCommands(console: console),
  SaveCommands(console: console),
  CardCommands(),
  QueueCommands(console: console),
  SchemaCommands(console: console),
  ContainerSettingsCommands(),
  ContainerCommands(console: console),
  ContextCommands(console: console),
  TweakCommands(console: console),
  RemoteCommands(console: console),
  WorldCommands(),
  SharedCommands(),
  ClusterCommands(),
  InspectorCommands(),
  FailureCommands(console: console),
])

Orphan.endsWithItsParent()

for line in InputLines() {
  console.write(commands.answer(to: line))
}
