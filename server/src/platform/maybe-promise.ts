/** What is often there at once and sometimes has to be waited for. Waiting for what is there costs a turn of the event loop's queue. */
export type MaybePromise<T> = T | Promise<T>;
