/** Waiting for what the service does in the background. */
import { setTimeout as delay } from "node:timers/promises";

const PAUSE_MS = 40;
/** The import of the class model takes minutes where other programs use the machine. */
const LIMIT_MS = 300_000;

/** Asks until the answer is not null. Throws a sentence if that takes five minutes. */
export async function waitForAnswer<T>(what: string, ask: () => Promise<T | null>): Promise<T> {
	const began = performance.now();
	for (;;) {
		const answer = await ask();
		if (answer !== null) return answer;
		if (performance.now() - began > LIMIT_MS) {
			throw new Error(`The demo waited five minutes in vain: ${what}. Run it again with --reset.`);
		}
		await delay(PAUSE_MS);
	}
}
