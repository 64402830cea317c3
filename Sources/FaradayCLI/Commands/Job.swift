import Faraday

/// One transfer of a command line: a URL, with its patterns expanded, and what belongs to it.
struct Job: Sendable {
  let operation: PreparedOperation
  let argument: TargetArgument
  let url: URLGlob.Expansion
  /// The file of `-T`.
  let upload: String?
  /// The number of the URL on the command line, from 0; those of a pattern share it.
  let number: Int
  /// The heads' file of the operation.
  let headFile: HeadFile?
}

/// The transfers of an operation, made one by one: a pattern may stand for a billion.
struct Jobs: Sequence, IteratorProtocol {
  private let operation: PreparedOperation
  private let headFile: HeadFile?
  private var targets: ArraySlice<TargetArgument>
  private var current: Target?
  /// The number of the next URL.
  private(set) var number: Int

  /// A target with the patterns of its URL and its upload; for each upload all URLs are transferred.
  private struct Target {
    let argument: TargetArgument
    let urls: URLGlob
    let uploads: URLGlob?
    var next: UInt = 0

    mutating func next(_ operation: PreparedOperation, _ number: Int, _ headFile: HeadFile?) -> Job? {
      let (upload, url) = next.quotientAndRemainder(dividingBy: urls.count)
      guard upload < uploads?.count ?? 1 else { return nil }
      next += 1
      return Job(
        operation: operation, argument: argument, url: urls.expansion(at: url), upload: uploads?.expansion(at: upload).url,
        number: number, headFile: headFile)
    }
  }

  /// Creates or empties the file of `-D`, and throws if it cannot. URLs that cannot be expanded are found out in time.
  ///
  /// - Parameter number: that of the first URL.
  init(_ operation: PreparedOperation, from number: Int) throws {
    self.operation = operation
    self.number = number
    headFile = try operation.settings.dumpHeader.map { try HeadFile($0, createsFolders: operation.settings.createsFolders) }
    targets = operation.settings.targets.filter { $0.url != nil }[...]
  }

  /// A pattern that is wrong.
  private(set) var failure: CommandFailure?

  mutating func next() -> Job? {
    while true {
      if let job = current?.next(operation, number - 1, headFile) { return job }
      guard let argument = targets.popFirst(), let url = argument.url else { return nil }
      number += 1
      do {
        let globs = operation.settings.globs
        current = Target(
          argument: argument, urls: globs ? try URLGlob(url) : .literal(url),
          uploads: try argument.uploadFile.map { globs ? try URLGlob($0) : .literal($0) })
      } catch {
        failure = CommandFailure(error)
        return nil
      }
    }
  }
}

/// The transfers of several operations, one operation after the other.
struct AllJobs {
  private var operations: ArraySlice<PreparedOperation>
  private var current: Jobs?

  init(_ operations: [PreparedOperation]) { self.operations = operations[...] }

  /// The next one; nil at the end. Throws what is wrong with an operation.
  mutating func next() throws -> Job? {
    while true {
      if let job = current?.next() { return job }
      if let failure = current?.failure { throw failure }
      guard let operation = operations.popFirst() else { return nil }
      current = try Jobs(operation, from: current?.number ?? 0)
    }
  }
}
