import Faraday
import Testing

@testable import JobService

@Suite struct VerdictTests {
  @Test func `a job that a limit has refused waits for the limit, and its attempt does not count`() {
    let refusal = RefusedRequestError(.rateLimited(.noWait), key: "a", retryAfter: .seconds(9), request: nil)
    #expect(Verdict(refusal, attempt: 99, random: 0.5) == .refused(after: .seconds(9.5), reason: "the rate limit is reached"))
  }

  @Test func `a job waits longer after each attempt, and fails after the last one`() throws {
    let url = try #require(URL(string: "https://api.example.com/"))
    let error = StatusError(Response(status: .internalServerError, url: url), to: Request(.get, url: url))
    #expect(Verdict(error, attempt: 1, random: 1) == .later(after: .milliseconds(400), reason: "status 500"))
    #expect(Verdict(error, attempt: 2, random: 1) == .later(after: .milliseconds(800), reason: "status 500"))
    #expect(Verdict(error, attempt: 19, random: 1) == .later(after: .seconds(30), reason: "status 500"))
    #expect(Verdict(error, attempt: 20, random: 1) == .failed(reason: "status 500"))
  }

  @Test func `a response that does not change fails the job`() throws {
    let url = try #require(URL(string: "https://api.example.com/"))
    let error = StatusError(Response(status: .notFound, url: url), to: Request(.get, url: url))
    #expect(Verdict(error, attempt: 1) == .failed(reason: "status 404"))
  }
}
