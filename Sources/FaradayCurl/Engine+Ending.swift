internal import CCurl
internal import FaradayCore

/// How transfers end: done, late, cancelled, or with the engine.
extension Engine {
  func finishDone() {
    var code = CURLE_OK
    while let easy = faraday_next_done(multi, &code) {
      guard let transfer = transfer(of: easy) else { continue }
      if !retriesFresh(transfer, code) { end(transfer) { $0.finish(code) } }
    }
  }

  /// Before 8.0 libcurl gives up after five pooled connections that were dead. They say nothing about a new one.
  private func retriesFresh(_ transfer: Transfer, _ code: CURLcode) -> Bool {
    guard code == CURLE_SEND_ERROR || code == CURLE_GOT_NOTHING || code == CURLE_RECV_ERROR,
      !Library.Behaviour.hasSoundHTTP2Streams, !transfer.hasRetriedFresh, transfer.headSize == 0,
      transfer.failure == nil, let easy = transfer.easy, easy.get(CURLINFO_NUM_CONNECTS) == 0, transfer.mayRepeat,
      transfer.rewind()
    else { return false }
    transfer.hasRetriedFresh = true
    curl_multi_remove_handle(multi, easy.pointer)
    _ = faraday_set_long(easy.pointer, CURLOPT_FRESH_CONNECT, 1)
    return curl_multi_add_handle(multi, easy.pointer) == CURLM_OK
  }

  /// By the time of the waking: what has arrived since, while somebody else's code ran here, is read in the next turn.
  func expire() {
    while let transfer = deadlines.first, transfer.deadline <= turnBegan {
      let timeouts = transfer.request.options.timeouts
      if transfer.waitsForCaller { transfer.lastActivity = now }
      transfer.updateDeadline()
      if transfer.deadline > turnBegan {
        deadlines.update(transfer)
      } else if let total = timeouts.total, transfer.submitted + total.nanoseconds <= turnBegan {
        end(transfer, transfer.error(.totalTimeout, "the exchange took longer than \(total)"))
      } else {
        let idle = timeouts.idle.map { "\($0)" } ?? ""
        end(transfer, transfer.error(.idleTimeout, "no byte moved for \(idle)"))
      }
    }
  }

  func end(_ transfer: Transfer, _ error: @autoclosure () -> any Error) {
    guard transfer.state != .finished else { return }
    let error = error()
    if transfer.isReceivePaused, let easy = transfer.easy {
      // What libcurl keeps for a paused transfer is freed only if it is delivered, or refused.
      transfer.failure = error
      transfer.isReceivePaused = false
      curl_easy_pause(easy.pointer, CURLPAUSE_CONT)
    }
    if transfer.isHTTP2, !Library.Behaviour.hasSafeHTTP2, let easy = transfer.easy {
      // The reset of its stream would be sent with the next request. Nobody else on the connection: it is closed instead.
      _ = faraday_set_long(easy.pointer, CURLOPT_FORBID_REUSE, 1)
    }
    end(transfer) { $0.finish(error) }
  }

  /// The one way out: outcome first, while the handle still has its figures; then everything is given back.
  func end(_ transfer: Transfer, outcome: (Transfer) -> Void) {
    guard transfer.state != .finished else { return }
    outcome(transfer)
    deadlines.remove(transfer)
    switch transfer.state {
    case .active:
      if let easy = transfer.easy { curl_multi_remove_handle(multi, easy.pointer) }
      active.swapAt(transfer.slot, active.count - 1)
      active[transfer.slot].slot = transfer.slot
      active.removeLast()
      if let origin = transfer.origin { admission.release(origin, now: now) }
      transfer.origin = nil
      refused.removeAll { $0 === transfer }
      transfer.dispose()
    case .queued:
      transfer.dispose()
      transfer.state = .finished
      if let origin = transfer.origin { admission.abandon(origin, now: now) { $0.state == .finished } }
    case .new, .finished:
      break
    }
    transfer.state = .finished
    transfer.engine = nil
  }

  func failAll(_ message: String) {
    while let transfer = active.last { end(transfer, transfer.error(.engineFailed, message)) }
    while let transfer = admission.next() {
      end(transfer, transfer.error(.engineFailed, message))
      if let origin = transfer.origin { admission.release(origin, now: now) }
    }
  }
}
