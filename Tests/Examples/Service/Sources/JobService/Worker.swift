import Faraday
import Logging
import Metrics
import ServiceLifecycle
import Tracing

/// Claims jobs and runs them, some at the same time, until the service shuts down. The jobs that have begun then end.
struct Worker: Service {
  let queue: JobQueue
  let pipeline: Pipeline
  let slots: Int
  let metrics: any MetricsFactory
  let tracer: any Tracer
  let logger: Logger

  func run() async throws {
    await withDiscardingTaskGroup { group in
      for _ in 0..<slots { group.addTask { await work() } }
    }
  }

  private func work() async {
    while !Task.isShuttingDownGracefully, !Task.isCancelled {
      do {
        if let job = try await queue.claim() {
          await run(job)
        } else {
          await pause(.milliseconds(200))
        }
      } catch {
        // Redis is not there. What runs already goes on, and its claims are in Redis when it is back.
        logger.warning("no job can be claimed: \(error)")
        await pause(.milliseconds(500))
      }
    }
  }

  private func run(_ job: Job) async {
    let start = ContinuousClock.now
    let verdict: Verdict
    do {
      verdict = .done(label: try await tracer.withSpan("job", ofKind: .consumer) { _ in try await pipeline.run(job) })
    } catch {
      verdict = Verdict(error, attempt: job.attempts)
      logger.notice("an attempt has failed: \(error)", metadata: ["job": "\(job.id)", "verdict": "\(verdict.name)"])
    }
    Timer(label: "job.attempt.duration", dimensions: [("outcome", verdict.name)], factory: metrics)
      .recordNanoseconds(Int64((ContinuousClock.now - start) / .nanoseconds(1)))
    do {
      let isCurrent = try await queue.settle(job, verdict)
      if !isCurrent { logger.warning("another process has claimed the job", metadata: ["job": "\(job.id)"]) }
    } catch {
      // The lease ends, and the job runs again.
      logger.warning("the end of the job is not recorded: \(error)", metadata: ["job": "\(job.id)"])
    }
  }

  private func pause(_ time: Duration) async {
    try? await cancelWhenGracefulShutdown { try await Task.sleep(for: time * .random(in: 0.5...1.5)) }
  }
}

extension Verdict {
  fileprivate var name: String {
    switch self {
    case .done: "done"
    case .later: "later"
    case .refused: "refused"
    case .failed: "failed"
    }
  }
}
