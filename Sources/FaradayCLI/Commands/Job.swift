import Faraday

/// One transfer of a command line: a URL, with its patterns expanded, and what belongs to it.
struct Job: Sendable {
  let operation: PreparedOperation
  let argument: TargetArgument
  let url: URLGlob.Expansion
  /// The file of `-T`.
  let upload: String?
  /// The number of the URL, from 0; those of a pattern share it.
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
  private var number = -1

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

  /// Throws if the first URL is not one that can be expanded; those of the others are found out in time.
  init(_ operation: PreparedOperation) throws {
    self.operation = operation
    headFile = try operation.settings.dumpHeader.map { try HeadFile($0, createsFolders: operation.settings.createsFolders) }
    targets = operation.settings.targets.filter { $0.url != nil }[...]
  }

  /// A pattern that is wrong.
  private(set) var failure: CommandFailure?

  mutating func next() -> Job? {
    while true {
      if let job = current?.next(operation, number, headFile) { return job }
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
