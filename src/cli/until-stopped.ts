/** Until the person (SIGINT) or the system (SIGTERM) ends it; the listeners are gone then, so a second signal ends the program at once. */
export function untilStopped(): Promise<void> {
  return new Promise(done => {
    const end = () => {
      process.off('SIGINT', end);
      process.off('SIGTERM', end);
      process.off('disconnect', end);
      if (process.connected) process.disconnect();
      done();
    };
    process.on('SIGINT', end);
    process.on('SIGTERM', end);
    // Where another process of ours started this one: it is gone.
    process.on('disconnect', end);
  });
}
