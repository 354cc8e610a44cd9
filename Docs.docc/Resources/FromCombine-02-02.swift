import Signals

enum SearchFailure: Error { case tooShort }

func results(for text: String) -> Result<[String], SearchFailure> {
  text.count < 2 ? .failure(.tooShort) : .success([text, text + "s"])
}

let query = MutableProperty("")
let display = query.changes
  // `tryMap` would end the signal at the first failure. Here, a failure is part of the value.
  .map { results(for: $0) }
  .sink { result in
    switch result {
    case .success(let results): print(results)
    case .failure(let failure): print(failure)
    }
  }

query.value = "s"  // Prints "tooShort"
query.value = "signal"  // Prints "["signal", "signals"]"
