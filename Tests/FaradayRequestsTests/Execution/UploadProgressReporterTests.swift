import Faraday
import FaradayTesting
import Testing

@testable import FaradayRequests

@Suite struct UploadProgressReporterTests {
  private let whole = TransferProgress(bytes: 4, total: 4)

  /// The progress reports of an upload for these reports of the adapter.
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

  @Test func `the final upload progress is reported once, even if the adapter reports it too`() throws {
    #expect(try report([]) == [whole])
    #expect(try report([.init(bytes: 4, total: 4)]) == [whole])
    #expect(try report([.init(bytes: 3, total: 4)]) == [TransferProgress(bytes: 3, total: 4), whole])
  }

  @Test func `an upload of unknown length ends with the number of bytes sent`() throws {
    let stream = Body.stream(Pieces("text"))
    #expect(try report([.init(bytes: 4, total: nil)], of: stream) == [TransferProgress(bytes: 4, total: nil), whole])
    #expect(try report([], of: stream) == [])
  }

  @Test func `no progress handler is set for an empty body or an adapter without upload progress`() throws {
    let upload = UploadProgressReporter { _ in }
    let empty = try Request(.put, "http://host/")
    #expect(upload.observing(empty, over: .all).options.onUploadProgress == nil)
    var request = empty
    request.body = "text"
    #expect(upload.observing(request, over: []).options.onUploadProgress == nil)
    #expect(upload.observing(request, over: .uploadProgress).options.onUploadProgress != nil)
  }
}
