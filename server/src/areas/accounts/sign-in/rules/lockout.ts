/** When a username is locked (interface decisions, section 2). */
import { formatAddressBlock } from "../../../../core/networks.ts";

export const WINDOW_MS = 15 * 60_000;
const PER_ADDRESS = 5;
const PER_USERNAME = 20;

interface Failure {
	readonly at: number;
	readonly ip: string;
}

/**
 * Milliseconds until the username may be tried again from `ip`; 0 when it may now.
 * @param failures the counted failures of the username within the window
 */
export function computeLockSeconds(failures: readonly Failure[], ip: string, now: number): number {
	const block = formatAddressBlock(ip);
	const recent = failures.filter((failure) => failure.at > now - WINDOW_MS).sort((a, b) => b.at - a.at);
	return Math.max(
		computeLockMs(recent.filter((failure) => formatAddressBlock(failure.ip) === block)[PER_ADDRESS - 1], now),
		computeLockMs(recent[PER_USERNAME - 1], now),
	);
}

/** The lock ends when the oldest of the failures that make it leaves the window. */
function computeLockMs(decisive: Failure | undefined, now: number): number {
	return decisive === undefined ? 0 : decisive.at + WINDOW_MS - now;
}
