#if canImport(Combine)
  import Combine

  final class Search {
    @Published var query = ""
    private var cancellables: Set<AnyCancellable> = []

    init() {
      $query
        .map { $0.lowercased() }
        .removeDuplicates()
        .sink { print("searching", $0) }
        .store(in: &cancellables)
    }
  }
#endif
