#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// Undoes the content codings of one body, in constant memory: it is fed with what comes, and gives decoded pieces of at most 64 KiB
/// when it is asked for the next one.
///
///     while let piece = try decoder.next() { … }   // then feed it, or tell it the end
///
/// It is not Sendable: one task uses it at a time. About 110 KiB each coding, freed at the end, on an error, or with the decoder.
package final class ContentDecoder {
  /// The size of the largest piece, in bytes.
  package static let pieceSize = 64 << 10

  /// How much a body may grow. No coding's output may be over these, so that what stands between two codings cannot cost more than
  /// what comes out of the last.
  package struct Limits: Sendable {
    /// The most decoded bytes.
    package var size: Int64
    /// The most decoded bytes for each encoded one.
    package var ratio: Int64
    /// The decoded size below which the ratio is not looked at.
    package var ratioFloor: Int64

    package init(size: Int64 = .max, ratio: Int64 = .max, ratioFloor: Int64 = 0) {
      (self.size, self.ratio, self.ratioFloor) = (size, ratio, ratioFloor)
    }
  }

  /// The last of the codings is the first to be undone.
  private var stages: [DecodingStage]
  private let limits: Limits
  private var fed = Data()
  private var hasFinished = false
  private var failure: ContentDecodingError?

  /// How many encoded bytes have been decoded.
  package private(set) var consumed: Int64 = 0

  /// - Parameter codings: in the order in which they were applied, as `Content-Encoding` lists them. More than
  ///   ``ContentCoding/mostStacked`` are an error of the first ``next()``.
  package init(_ codings: [ContentCoding], limits: Limits = Limits()) {
    self.limits = limits
    if codings.count > ContentCoding.mostStacked {
      stages = []
      failure = .tooManyCodings(codings.count)
    } else {
      stages = codings.reversed().map(DecodingStage.init)
    }
  }

  /// More encoded bytes, which are not copied if ``next()`` has given nil since the last ones.
  package func feed(_ bytes: Data) {
    if fed.isEmpty { fed = bytes } else { fed.append(bytes) }
  }

  /// There are no more encoded bytes.
  package func finish() { hasFinished = true }

  /// The next piece of the content, never empty; nil if there is none until it is fed again, or ever after ``finish()``, when the
  /// content is whole. What it throws once it throws from then on.
  package func next() throws(ContentDecodingError) -> Data? {
    if let failure { throw failure }
    do throws(ContentDecodingError) {
      if let piece = try output(ofStages: stages.count) { return piece }
      if hasFinished { stages = [] }
      return nil
    } catch {
      failure = error
      stages = []
      fed = Data()
      throw error
    }
  }

  /// What comes out when so many stages have been gone through. Each asks the one before it only when it has nothing left itself.
  private func output(ofStages count: Int) throws(ContentDecodingError) -> Data? {
    guard count > 0 else {
      defer { fed = Data() }
      return fed.isEmpty ? nil : fed
    }
    let stage = stages[count - 1]
    while true {
      let piece = try stage.next()
      if count == 1 { consumed = stage.consumed }
      if let piece {
        try check(stage.produced)
        return piece
      }
      guard let more = try output(ofStages: count - 1) else {
        if hasFinished { try stage.finish() }
        return nil
      }
      stage.feed(more)
    }
  }

  private func check(_ produced: Int64) throws(ContentDecodingError) {
    if produced > limits.size { throw .tooLarge(limits.size) }
    if produced > limits.ratioFloor, produced / max(consumed, 1) > limits.ratio { throw .tooDense(limits.ratio) }
  }
}
