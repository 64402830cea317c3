internal import CCurl
internal import FaradayCore

/// How transfers end: done, late, cancelled, or with the engine.
extension Engine {
  func finishDone() {
    var code = CURLE_OK
    while let easy = faraday_next_done(multi, &code) {
      guard let transfer = transfer(of: easy) else {
        endSweep()
        continue
      }
      if let repetition = transfer.repetition(after: code), beginsAgain(transfer, repetition) { continue }
      let isUnresolved = code == CURLE_COULDNT_RESOLVE_HOST || code == CURLE_COULDNT_RESOLVE_PROXY
      let failure = isUnresolved ? transfer.libcurlError(code) : nil
      let origin = transfer.origin
      end(transfer, .done(code))
      if let failure, let origin { failWaiting(for: origin, failure) }
    }
  }

  /// The name that they wait for is not to be found: one failure is the answer to all, and not a lookup for each.
  private func failWaiting(for origin: Admission<Transfer>.Origin, _ failure: TransportError) {
    for transfer in admission.takeUnresolved(origin, now: now) where transfer.isQueued {
      leaveQueue(transfer)
      let error = transfer.error(failure.code, failure.message, phase: failure.phase, engineCode: failure.engineCode)
      end(transfer, .failed(error))
    }
  }

  /// Begins a transfer again, with a new handle. Returns false if it cannot be, or has ended with that.
  private func beginsAgain(_ transfer: Transfer, _ repetition: Transfer.Repetition) -> Bool {
    guard transfer.canRewind else { return false }
    if let easy = transfer.easy { curl_multi_remove_handle(multi, easy.pointer) }
    do {
      guard try transfer.beginAgain(repetition) else { return false }
      try add(transfer)
    } catch {
      end(transfer, .failed(error))
    }
    return true
  }

  /// By the time of the waking: what has arrived since, while somebody else's code ran here, is read in the next turn.
  func expire() {
    while let transfer = deadlines.first, transfer.deadline <= turnBegan {
      if transfer.isActive { transfer.lookForMovement(at: max(turnBegan, now)) }
      transfer.handOverSlowHead(at: turnBegan)
      if transfer.isOver(at: turnBegan) {
        end(transfer, .done(CURLE_OK))
        continue
      }
      transfer.updateDeadline()
      if transfer.deadline > turnBegan {
        deadlines.update(transfer)
      } else if let error = transfer.timeout(at: turnBegan) {
        end(transfer, .failed(error))
      } else {
        deadlines.remove(transfer)
      }
    }
  }

  /// The one way out: outcome first, while the handle still has its figures; then everything is given back.
  func end(_ transfer: Transfer, _ outcome: Transfer.Outcome) {
    guard !transfer.hasFinished else { return }
    if case .failed(let error) = outcome { refuseKept(transfer, because: error) }
    let isWell = transfer.finish(outcome)
    deadlines.remove(transfer)
    let connection = transfer.connection
    transfer.leaveConnection()
    let life = transfer.life
    transfer.life = .finished
    switch life {
    case .active(let origin, let slot):
      if let easy = transfer.easy { curl_multi_remove_handle(multi, easy.pointer) }
      // libcurl 8 says goodbye before it closes, for as long as the server likes to listen. Before 8.15 the RST_STREAM of a stream that
      // was given up may wait for the connection's next frame, and an idle one has none.
      let tellsServer = transfer.isHTTP2 && Library.Behaviour.resetsAtOnce
      if !isWell, !tellsServer, let connection { sockets.retire(connection) }
      freeSlot(slot)
      admission.release(origin, now: now)
      refused.removeAll { $0 === transfer }
      transfer.dispose()
      sweepLater()
    case .queued(let origin):
      leaveQueue(transfer)
      transfer.life = .finished
      handle.started()
      transfer.dispose()
      admission.abandon(origin, now: now) { $0.hasFinished }
    case .new:
      handle.started()
      transfer.dispose()
    case .finished:
      break
    }
    transfer.engine = nil
  }

  /// What libcurl keeps for a paused transfer is freed only if it is delivered, or refused.
  private func refuseKept(_ transfer: Transfer, because error: any Error) {
    guard transfer.receiving == .paused, let easy = transfer.easy else { return }
    transfer.failure = error
    transfer.receiving = .flowing
    curl_easy_pause(easy.pointer, CURLPAUSE_CONT)
  }

  /// A connection may be idle from now on, and is to be looked at when it is older than it may be.
  func sweepLater() {
    guard sweepDue == .max else { return }
    let idle = configuration.idleConnectionTimeout.nanoseconds
    let lifetime = configuration.connectionLifetime?.nanoseconds ?? .max / 2
    sweepDue = now + max(min(idle, lifetime), Self.shortest) + Self.shortest
  }

  private func freeSlot(_ slot: Int) {
    active.swapAt(slot, active.count - 1)
    if case .active(let origin, _) = active[slot].life { active[slot].life = .active(origin, slot: slot) }
    active.removeLast()
  }

  func failAll(_ message: String) {
    while let transfer = active.last { end(transfer, .failed(transfer.error(.engineFailed, message))) }
    while let (transfer, origin) = admission.next() {
      if transfer.isQueued {
        leaveQueue(transfer)
        end(transfer, .failed(transfer.error(.engineFailed, message)))
      }
      admission.release(origin, now: now)
    }
    // Some may have ended well just before.
    answer()
  }
}
