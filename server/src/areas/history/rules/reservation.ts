/** How long others wait for work on a history whose process died, in ms; longer than it takes. */
export const RESERVATION_MS = 30_000;
