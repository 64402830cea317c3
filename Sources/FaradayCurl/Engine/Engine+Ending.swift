internal import CCurl
internal import FaradayCore

/// The end of transfers: completed, timed out, cancelled, or failed with the engine.
extension Engine {
  func finishDone() {
    var code = CURLE_OK
    while let easy = faraday_next_done(multi, &code) {
      guard let transfer = transfer(of: easy) else {
        endSweep()
        continue
      }
      if let reason = transfer.neededRestart(after: code), restart(transfer, reason) { continue }
      let isUnresolved = code == CURLE_COULDNT_RESOLVE_HOST || code == CURLE_COULDNT_RESOLVE_PROXY
      let failure = isUnresolved ? transfer.libcurlError(code) : nil
      let place = transfer.place
      end(transfer, .done(code))
      if let failure, let place { failWaiting(for: place, failure) }
    }
  }

  /// Fails all queued transfers that wait for the same lookup, which has failed, without a lookup for each.
  private func failWaiting(for place: Admission<Transfer>.Place, _ failure: TransportError) {
    // The lookup may be another one with options that are not known here.
    guard configuration.unsafeCustomize == nil else { return }
    for transfer in admission.takeUnprepared(place, now: now) where transfer.isQueued {
      leaveQueue(transfer)
      let error = transfer.error(failure.code, failure.message, phase: failure.phase, engineCode: failure.engineCode)
      end(transfer, .failed(error))
    }
  }

  /// Restarts a transfer with a new easy handle. Returns false if its body is not replayable.
  private func restart(_ transfer: Transfer, _ reason: Transfer.Restart) -> Bool {
    guard transfer.canRewind else { return false }
    if let easy = transfer.easy { curl_multi_remove_handle(multi, easy.pointer) }
    sockets.release(transfer)
    let connection = transfer.connection
    do {
      guard try transfer.restart(reason) else { return false }
      // As in `end(_:_:)`: otherwise the server would not hear that nobody wants the stream.
      if let connection, reason == .overHTTP1 || sockets.isEvicted(connection.descriptor) { sockets.retire(connection) }
      try add(transfer)
    } catch {
      end(transfer, .failed(error))
    }
    return true
  }

  /// Ends transfers whose deadlines have passed, by the time at which the engine woke: bytes that arrived later, while a caller's
  /// code ran on this thread, are read in the next turn and must count first.
  func expire() {
    while let transfer = deadlines.first, transfer.deadline <= turnBegan {
      if transfer.isActive { transfer.readTCPCounters(at: max(turnBegan, now)) }
      transfer.endBufferingIfDue(at: turnBegan)
      if transfer.resumeAt <= turnBegan {
        transfer.resumeAt = .max
        resumeReceiving(transfer)
        guard transfer.isActive else { continue }
      }
      if transfer.isDoneWithoutUpload(at: turnBegan) {
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

  /// Ends a transfer: the only place that does. Reports the outcome while the easy handle has its metrics, then releases
  /// everything.
  func end(_ transfer: Transfer, _ outcome: Transfer.Outcome) {
    guard !transfer.hasFinished else { return }
    if case .failed(let error) = outcome { discardPausedData(transfer, because: error) }
    let isWell = transfer.finish(outcome)
    deadlines.remove(transfer)
    let connection = transfer.connection
    sockets.release(transfer)
    transfer.releaseConnection()
    let life = transfer.life
    transfer.life = .finished
    switch life {
    case .active(let place, let slot):
      if let easy = transfer.easy { curl_multi_remove_handle(multi, easy.pointer) }
      // A failed transfer's connection is closed here: libcurl 8 would first shut it down gracefully, for as long as the server
      // likes. Before 8.15, HTTP/2 too: the RST_STREAM of a cancelled stream waits for the connection's next frame, which may never
      // come.
      let tellsServer = transfer.isHTTP3 || transfer.isHTTP2 && Library.Behaviour.resetsAtOnce
      if let connection, !isWell && !tellsServer || sockets.isEvicted(connection.descriptor) { sockets.retire(connection) }
      freeSlot(slot)
      admission.release(place, hasTried: outcome.hasTried, now: now)
      if isWell { admission.connectionIsFree(place) }
      stalledUploads.removeAll { $0 === transfer }
      transfer.dispose()
      sweepLater()
    case .queued(let place):
      leaveQueue(transfer)
      transfer.life = .finished
      handle.started()
      transfer.dispose()
      admission.noteCancelled(place, now: now)
    case .new:
      handle.started()
      transfer.dispose()
    case .finished:
      break
    }
    transfer.engine = nil
  }

  /// Makes libcurl free what it has buffered for a paused transfer: it does so only when the write callback takes or rejects it.
  private func discardPausedData(_ transfer: Transfer, because error: any Error) {
    guard transfer.receiving == .paused, let easy = transfer.easy else { return }
    transfer.failure = error
    transfer.receiving = .flowing
    curl_easy_pause(easy.pointer, CURLPAUSE_CONT)
  }

  /// Notes that the session of an HTTP/2 connection is over. In a callback of libcurl, which is about to send GOAWAY.
  func noteBrokenSession(_ connection: (descriptor: Int32, endpoints: Sockets.Endpoints)) { brokenSessions.append(connection) }

  /// Ends connections whose session is over, so that libcurl ends their transfers.
  func endBrokenSessions() {
    guard !brokenSessions.isEmpty else { return }
    for connection in brokenSessions { sockets.end(connection) }
    brokenSessions = []
  }

  /// Schedules a sweep of idle connections, for when one could have expired.
  func sweepLater() {
    guard sweepDue == .max else { return }
    let idle = configuration.idleConnectionTimeout.nanoseconds
    let lifetime = configuration.connectionLifetime?.nanoseconds ?? .max / 2
    sweepDue = now + max(min(idle, lifetime), Self.shortest) + Self.shortest
  }

  private func freeSlot(_ slot: Int) {
    active.swapAt(slot, active.count - 1)
    if case .active(let place, _) = active[slot].life { active[slot].life = .active(place, slot: slot) }
    active.removeLast()
    handle.counters.active.set(active.count)
  }

  /// Fails all active and queued transfers. Returns their number.
  @discardableResult func failAll(_ code: TransportError.Code, _ message: String) -> Int {
    var count = 0
    while let transfer = active.last {
      end(transfer, .failed(transfer.error(code, message)))
      count += 1
    }
    while let (transfer, place) = admission.next(now: now) {
      leaveQueue(transfer)
      end(transfer, .failed(transfer.error(code, message)))
      admission.release(place, now: now)
      count += 1
    }
    // Some may have succeeded just before.
    answer()
    return count
  }
}
