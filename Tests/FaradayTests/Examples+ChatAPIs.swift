import Faraday
import Foundation

// The blocks of Swift in the article "ChatAPIs", each as it stands there; ReadmeTests compares them.

struct Chat: Sendable {
  struct Message: Codable, Sendable {
    var role: String
    var content: String
  }

  struct Prompt: Encodable, Sendable {
    var model: String
    var messages: [Message]
    var stream = true
  }

  /// The data of one event: a piece of the answer, or an error after the answer has begun.
  struct Chunk: Decodable, Sendable {
    struct Choice: Decodable, Sendable {
      struct Delta: Decodable, Sendable { var content: String? }
      var delta: Delta
      var finishReason: String?
    }

    var choices: [Choice]?
    var error: Problem?
  }

  struct Problem: Error, Decodable, Equatable {
    var type: String?
    var message: String
  }

  private let api: Connection

  init(_ url: String, key: String, over adapter: any Adapter, clock: any Clock<Duration> = .continuous) throws {
    // Only failures before the request is sent: the server may charge for a request that it received.
    let retries = Retry.Policy(retries: 4, statuses: [429, 503], errors: [.connectionFailed], sendsIdempotencyKey: false)
    var defaults = Options()
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    defaults.jsonDecoder = decoder
    defaults.isRetryable = true
    defaults.timeouts.idle = .seconds(120)
    api = try Connection(
      url, defaults: defaults, adapter: adapter,
      middleware: .standard(authorization: .authorization(.bearer(key)), retry: Retry(retries, clock: clock)))
  }

  /// The answer in pieces. The request is sent when the loop begins.
  func answer(_ question: String) -> some AsyncSequence<String, any Error> {
    let prompt = Prompt(model: "small", messages: [Message(role: "user", content: question)])
    let chunks = api.events(
      "v1/chat/completions", as: Chunk.self, method: .post, body: .encodable(prompt), until: "[DONE]")
    return chunks.compactMap { chunk in
      if let problem = chunk.error { throw problem }
      return chunk.choices?.first?.delta.content
    }
  }
}

enum ChatExamples {
  static func ask(_ chat: Chat) async -> String {
    var answer = ""
    do {
      for try await text in chat.answer("Why is the sky blue?") { answer += text }
    } catch let error as StatusError {
      let message = error.errorJSON?["error"]?["message"]?.string ?? "no message"
      answer = "refused with \(error.status): \(message)"
    } catch let problem as Chat.Problem {
      answer += " … failed: \(problem.message)"
    } catch let error as EventStreamError where error.reason == .endedEarly {
      answer += " … ended early"
    } catch let error as any FaradayError {
      answer += error.isTransient ? " … broken off" : " … \(error)"
    } catch {
      answer += " … cancelled"
    }
    return answer
  }

  static func cancel(_ chat: Chat) async -> String? {
    let answer = Task {
      var words = ""
      for try await text in chat.answer("Why is the sky blue?") {
        words += text
        if words.utf8.count > 1_000 { break }
      }
      return words
    }
    answer.cancel()
    return try? await answer.value
  }

  struct Text: Decodable {
    var text: String
  }

  static func named(_ api: Connection, _ question: some Encodable & Sendable) async throws -> String {
    var answer = ""
    var isComplete = false
    for try await event in api.events("v1/messages", method: .post, body: .encodable(question)) {
      switch event.type {
      case "delta": answer += try JSONDecoder().decode(Text.self, from: Data(event.data.utf8)).text
      case "error": throw try JSONDecoder().decode(Chat.Problem.self, from: Data(event.data.utf8))
      case "stop": isComplete = true
      default: continue
      }
    }
    return isComplete ? answer : answer + " …"
  }
}
