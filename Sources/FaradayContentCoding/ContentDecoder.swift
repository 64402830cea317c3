#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// A streaming decoder for the content codings of one body, in constant memory. It receives encoded bytes, and returns decoded
/// pieces of at most 64 KiB.
///
///     while let piece = try decoder.next() { … }   // then `feed(_:)` more, or `finish()`
///
/// Not thread-safe. Needs about 110 KiB of memory per coding, and up to 16 MiB more for br and 8 MiB more for zstd, freed
/// at the end, after an error, or with the decoder.
package final class ContentDecoder {
  /// The maximum size of a decoded piece, in bytes.
  package static let pieceSize = 64 << 10

  /// Limits against decompression bombs. They apply to the output of every nested coding, so that no intermediate result
  /// exceeds the limits of the final result.
  package struct Limits: Sendable {
    /// The maximum number of decoded bytes.
    package var size: Int64
    /// The maximum number of decoded bytes per encoded byte.
    package var ratio: Int64
    /// The decoded size below which the ratio is not checked.
    package var ratioFloor: Int64

    package init(size: Int64 = .max, ratio: Int64 = .max, ratioFloor: Int64 = 0) {
      (self.size, self.ratio, self.ratioFloor) = (size, ratio, ratioFloor)
    }
  }

  /// The stages in the order of decoding: the coding that was applied last comes first.
  private var stages: [DecodingStage]
  private let limits: Limits
  private var fed = Data()
  private var hasFinished = false
  private var failure: ContentDecodingError?

  /// The number of encoded bytes that were decoded.
  package private(set) var consumed: Int64 = 0

  /// Creates a decoder for one body.
  ///
  /// - Parameter codings: the codings in the order in which they were applied, as in `Content-Encoding`. If there are more than
  ///   ``ContentCoding/maximumNesting``, or one is not available, the first ``next()`` throws.
  package init(_ codings: [ContentCoding], limits: Limits = Limits()) {
    self.limits = limits
    if codings.count > ContentCoding.maximumNesting {
      stages = []
      failure = .tooManyCodings(codings.count)
    } else {
      stages = codings.reversed().compactMap(DecodingStage.init)
      if stages.count < codings.count { failure = .unavailable }
    }
  }

  /// Adds encoded bytes. The bytes are not copied if ``next()`` has returned nil since the previous bytes were added.
  package func feed(_ bytes: Data) {
    if fed.isEmpty { fed = bytes } else { fed.append(bytes) }
  }

  /// Notes the end of the encoded bytes.
  package func finish() { hasFinished = true }

  /// Decodes the next piece, which is never empty. Returns nil if more bytes are needed, or, after ``finish()``, at the end of
  /// the content. An error is final: further calls throw it again.
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

  /// The next output of the first `count` stages. Each stage reads from the previous stage only when it has no input left.
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
