import FaradayCore
import FaradayPromises
import FaradayTesting
import Testing

@testable import FaradayRequests

@Suite struct UploadProgressReporterTests {
  private let whole = TransferProgress(bytes: 4, total: 4)

  /// What is told of an upload of which the adapter tells this.
  private func report(_ told: [TransferProgress], of body: Body = "text") throws -> [TransferProgress] {
    let seen = Log<TransferProgress>()
    let upload = UploadProgressReporter { seen.append($0) }
    var request = try Request(.put, "http://host/")
    request.body = body
    let followed = upload.observing(request, over: .all)
    for progress in told { followed.options.onUploadProgress?(progress) }
    upload.end(length: body.length)
    return seen.elements
  }

  @Test func `the end is told where the adapter does not, and once where it does`() throws {
    #expect(try report([]) == [whole])
    #expect(try report([.init(bytes: 4, total: 4)]) == [whole])
    #expect(try report([.init(bytes: 3, total: 4)]) == [TransferProgress(bytes: 3, total: 4), whole])
  }

  @Test func `of a length that nobody knew the end is what was sent`() throws {
    let stream = Body.stream(Pieces("text"))
    #expect(try report([.init(bytes: 4, total: nil)], of: stream) == [TransferProgress(bytes: 4, total: nil), whole])
    #expect(try report([], of: stream) == [])
  }

  @Test func `nothing is asked of the adapter for nothing, nor of one that cannot tell`() throws {
    let upload = UploadProgressReporter { _ in }
    let empty = try Request(.put, "http://host/")
    #expect(upload.observing(empty, over: .all).options.onUploadProgress == nil)
    var request = empty
    request.body = "text"
    #expect(upload.observing(request, over: []).options.onUploadProgress == nil)
    #expect(upload.observing(request, over: .uploadProgress).options.onUploadProgress != nil)
  }
}
