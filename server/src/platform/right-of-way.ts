/**
 * Requests go first: background work waits with its next step while somebody waits for an answer, but never for long. What takes
 * long itself, such as an export, is not waited for after its first moments.
 */

export interface RightOfWay {
	/** A request is under way until the function is called. */
	enter(): () => void;
	/** Resolves at once while no request is under way, else as soon as none is, and at the latest after `MOST_MS`. */
	clear(): Promise<void>;
}

const MOST_MS = 25;
/** A request that is older than this does not count any more. */
const YOUNG_MS = 100;

export function createRightOfWay(now: () => number = () => performance.now()): RightOfWay {
	/** When each began, oldest first. */
	const requests = new Set<{ readonly since: number }>();
	const waiting = new Set<() => void>();

	const isClear = () => {
		for (const { since } of requests) if (now() - since < YOUNG_MS) return false;
		return true;
	};

	return {
		enter() {
			const request = { since: now() };
			requests.add(request);
			return () => {
				requests.delete(request);
				if (waiting.size === 0 || !isClear()) return;
				for (const go of [...waiting]) go();
			};
		},
		clear() {
			if (requests.size === 0 || isClear()) return Promise.resolve();
			return new Promise((resolve) => {
				const go = () => {
					clearTimeout(timer);
					waiting.delete(go);
					resolve();
				};
				const timer = setTimeout(go, MOST_MS);
				waiting.add(go);
			});
		},
	};
}
