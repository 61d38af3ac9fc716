import { describe, expect, it } from "vitest";
import { createFakeClock } from "../../test/support/fake-clock.ts";
import { holdLease, LEASE_MS, LeaseLost, RENEW_MS } from "./lease.ts";

/** Holds a lease whose renewals end as `renew` does, and counts them. */
async function holdCounted(renew: (count: number) => void = () => {}) {
	const clock = createFakeClock();
	const log = { debug() {}, info() {}, warn() {}, error() {} };
	const listeners = new Set<(message: string) => void>();
	const pubsub = {
		publish: async (_topic: string, message: string) => {
			for (const listener of listeners) listener(message);
		},
		subscribe: async (_topic: string, listener: (message: string) => void) => {
			listeners.add(listener);
			return {
				unsubscribe: async () => {
					listeners.delete(listener);
				},
			};
		},
		close: async () => {},
	};
	const expiries: number[] = [];
	const lease = await holdLease(
		{ clock, pubsub, log },
		{
			topic: "work:1",
			message: "ended",
			async renew(expires) {
				expiries.push(expires.getTime());
				renew(expiries.length);
			},
		},
	);
	return { clock, pubsub, lease, expiries };
}

describe("a lease", () => {
	it("is renewed at intervals until it is stopped, each time for the whole lease", async () => {
		const { clock, lease, expiries } = await holdCounted();
		const start = clock.now();
		await clock.advance(RENEW_MS);
		await clock.advance(RENEW_MS);
		expect(expiries).toEqual([start + RENEW_MS + LEASE_MS, start + 2 * RENEW_MS + LEASE_MS]);
		await lease.stop();
		await clock.advance(RENEW_MS);
		expect(expiries).toHaveLength(2);
		expect(lease.signal.aborted).toBe(false);
	});

	it("is renewed at once by a call and by its message, and by no other message", async () => {
		const { pubsub, lease, expiries } = await holdCounted();
		await lease.renew();
		await pubsub.publish("work:1", "changed");
		expect(expiries).toHaveLength(1);
		await pubsub.publish("work:1", "ended");
		expect(expiries).toHaveLength(2);
		await lease.stop();
	});

	it("is lost as soon as a renewal says so, and is not renewed again", async () => {
		const { clock, lease, expiries } = await holdCounted(() => {
			throw new LeaseLost();
		});
		await clock.advance(RENEW_MS);
		expect(lease.signal.reason).toBeInstanceOf(LeaseLost);
		await clock.advance(RENEW_MS);
		expect(expiries).toHaveLength(1);
		await lease.stop();
	});

	it("outlives renewals that fail until it expires", async () => {
		const { clock, lease } = await holdCounted((count) => {
			if (count > 1) throw new Error("the store is away");
		});
		await clock.advance(RENEW_MS);
		for (let passed = RENEW_MS; passed < LEASE_MS; passed += RENEW_MS) await clock.advance(RENEW_MS);
		expect(lease.signal.aborted).toBe(false);
		await clock.advance(RENEW_MS);
		expect(lease.signal.reason).toBeInstanceOf(LeaseLost);
		await lease.stop();
	});
});
