#if DEBUG
  import FileSignals
  package import Testing

  /// A trait that runs each test of a suite for every mechanism that reports changes of files: the system's, and on
  /// Linux also Apple's, over a model.
  package struct EachKernel: SuiteTrait, TestTrait, TestScoping {
    package let isRecursive = true

    #if os(Linux)
      private static let model = Result { try WatchSource(KqueueModel()) }
    #endif

    package func provideScope(
      for test: Test, testCase: Test.Case?, performing function: @Sendable @concurrent () async throws -> Void
    ) async throws {
      try await function()
      #if os(Linux)
        // The comment tells which run has failed.
        let marking = IssueHandlingTrait.compactMapIssues { issue in
          var issue = issue
          issue.comments.append("over the model of kqueue")
          return issue
        }
        try await marking.provideScope(for: test, testCase: testCase) {
          try await Self.model.get().use { try await function() }
        }
      #endif
    }
  }

  extension Trait where Self == EachKernel {
    /// Runs each test for every mechanism that reports changes of files.
    package static var eachKernel: Self { EachKernel() }
  }
#endif
