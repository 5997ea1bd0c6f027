/**
 * Until the person (SIGINT) or the system (SIGTERM) ends it, or the process that started it is gone; the listeners are gone then,
 * so a second signal ends the program at once. `parent`: whether a process of ours started this one, with a channel between.
 */
export function untilStopped({ parent = false } = {}): Promise<void> {
  return new Promise(done => {
    const end = () => {
      process.off('SIGINT', end);
      process.off('SIGTERM', end);
      process.off('disconnect', end);
      // The channel would keep this process alive.
      if (parent && process.connected) process.disconnect();
      done();
    };
    process.on('SIGINT', end);
    process.on('SIGTERM', end);
    if (parent) process.on('disconnect', end);
  });
}
