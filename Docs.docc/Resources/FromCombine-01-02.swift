import Signals

final class Search {
  @Observed var query = ""
  private var subscriptions: Set<SignalSubscription> = []

  init() {
    $query
      .map { $0.lowercased() }
      .removeDuplicates()
      .sink { print("searching", $0) }
      .store(in: &subscriptions)
  }
}

let search = Search()  // Prints "searching "
search.query = "Signals"  // Prints "searching signals"
