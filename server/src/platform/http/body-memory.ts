/**
 * Memory of large bodies that is used again. Each would otherwise be new: 10 MB that the system has to clear page by page, and that count towards a
 * collection of the whole heap, which every request waits for.
 */

/** Closed: what is handed over to it is freed. */
const { port1: nowhere } = new MessageChannel();
nowhere.close();

/** Bytes that are not worth it. */
const FEW_BYTES = 16 * 1024;

/** Frees the memory of bytes that nobody else has a view of, now and not at the next collection; the bytes are empty from now on. */
export function letGo({ buffer, byteLength }: Uint8Array): void {
	if (byteLength < FEW_BYTES || byteLength < buffer.byteLength || !(buffer instanceof ArrayBuffer)) return;
	nowhere.postMessage(null, [buffer]);
}

export interface BodyMemory {
	/** At least so many bytes; what is in them is undefined. */
	take(bytes: number): Buffer;
	/** Takes the memory of bytes that nobody needs any more. All views of it are empty from now on. */
	give(bytes: Uint8Array): void;
}

/** Of what is kept together, and of the smallest worth it. */
const KEPT_BYTES = 32 * 1024 * 1024;
const LARGE_BYTES = 256 * 1024;
/** Room for the next body to be a little larger. */
const ROOM = 1.125;
/** Memory of more times what is asked for is not used for it. */
const MOST = 1.5;
/** After which nothing is kept, unless more was given meanwhile. */
const IDLE_MS = 10_000;

export function createBodyMemory(): BodyMemory {
	let kept: ArrayBuffer[] = [];
	let timer: NodeJS.Timeout | undefined;

	return {
		take(bytes) {
			if (bytes < LARGE_BYTES) return Buffer.allocUnsafeSlow(bytes);
			const at = kept.findIndex(({ byteLength }) => byteLength >= bytes && byteLength <= bytes * MOST);
			const [memory] = at < 0 ? [] : kept.splice(at, 1);
			return memory === undefined ? Buffer.allocUnsafeSlow(Math.ceil(bytes * ROOM)) : Buffer.from(memory);
		},
		give({ buffer }) {
			if (!(buffer instanceof ArrayBuffer) || buffer.byteLength < LARGE_BYTES) return;
			// Handed over to itself: who still had a view of it must not see the next body.
			kept.unshift(structuredClone(buffer, { transfer: [buffer] }));
			let held = 0;
			kept = kept.filter(({ byteLength }) => {
				held += byteLength;
				return held <= KEPT_BYTES;
			});
			clearTimeout(timer);
			timer = setTimeout(() => {
				kept = [];
			}, IDLE_MS);
			timer.unref();
		},
	};
}
