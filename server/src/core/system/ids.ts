/** UUID version 7 and random tokens. */
import { randomBytes, randomFillSync } from "node:crypto";
import type { Clock } from "../ports/clock.ts";
import type { Ids } from "../ports/ids.ts";

/**
 * Ids made in one process rise strictly, also within one millisecond (RFC 9562, section 6.2, method
 * 2).
 */
export function createIds(clock: Pick<Clock, "now">): Ids {
	const random = Buffer.alloc(10);
	let last = 0;
	let sequence = 0;

	function createUuid(): string {
		randomFillSync(random);
		const now = clock.now();
		if (now > last) {
			last = now;
			sequence = random.readUInt16BE(0) & 0x7ff;
		} else if (++sequence > 0xfff) {
			last++;
			sequence = 0;
		}
		const time = last.toString(16).padStart(12, "0");
		const a = (0x7000 | sequence).toString(16);
		const b = (0x8000 | (random.readUInt16BE(2) & 0x3fff)).toString(16);
		return `${time.slice(0, 8)}-${time.slice(8)}-${a}-${b}-${random.toString("hex", 4, 10)}`;
	}

	return { uuid: createUuid, token: (bytes) => randomBytes(bytes).toString("base64url") };
}
