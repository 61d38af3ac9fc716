/** When the daily cleanup is due. */

const HOUR = 3;
const MINUTE = 30;

/** The latest 03:30 of the server's zone that is not after an instant. */
export function findLatestCleanup(now: number): Date {
	const due = new Date(now);
	due.setHours(HOUR, MINUTE, 0, 0);
	if (due.getTime() > now) due.setDate(due.getDate() - 1);
	return due;
}
