/** Ends of change windows at their time, after 24 hours, and while a round before the work runs. */
import { describe, expect, it } from "vitest";
import { RUNS } from "../support/canvases.ts";
import { waitUntil, waitUntilAfter } from "../support/harness.ts";
import { createHeldController } from "../support/held-controller.ts";
import { useWindows, WINDOWS } from "../support/windows.ts";

const held = createHeldController();
const windows = useWindows(undefined, { controllers: held.driver });
const { window, open, move, read, reach } = windows;
const HOUR_MS = 3_600_000;
const formatTime = (inMs: number) => new Date(windows.t.clock.now() + inMs).toISOString();

async function listEvents(id: string) {
	const { results } = (await windows.ada.api.get(`${WINDOWS}${id}/events/`)).body;
	return results.map(({ event, user, to_state, detail }: Record<string, string>) => ({
		event,
		user,
		to_state,
		detail,
	}));
}

describe("the end of an open window", () => {
	it("ends the work at ends_at, and the rounds after it begin", async () => {
		const ends_at = formatTime(HOUR_MS);
		const { id } = await window({ ends_at });
		expect(await open(id)).toMatchObject({ next_at: ends_at, finished_at: null });
		await windows.t.clock.advance(HOUR_MS / 2);
		expect(await read(id)).toMatchObject({ state: "open" });
		await windows.t.clock.advance(HOUR_MS / 2 - 60_000);
		const judged = await reach(id, "judged");
		expect(judged).toMatchObject({ verdict: "passed" });
		const lateMs = Date.parse(judged.finished_at) - Date.parse(ends_at);
		expect(lateMs).toBeGreaterThanOrEqual(0);
		expect(lateMs).toBeLessThan(60_000);
		expect(await listEvents(id)).toContainEqual({
			event: "finish",
			user: null,
			to_state: "settling",
			detail: "The end of the window.",
		});
	});

	it("ends the work 24 hours after the opening of a window without ends_at", async () => {
		const { id } = await window();
		const { opened_at, next_at } = await open(id);
		expect(Date.parse(next_at)).toBe(Date.parse(opened_at) + 24 * HOUR_MS);
		await windows.t.clock.advance(24 * HOUR_MS - 60_000);
		expect(await read(id)).toMatchObject({ state: "open" });
		const judged = await reach(id, "judged");
		expect(Date.parse(judged.finished_at)).toBeGreaterThanOrEqual(Date.parse(next_at));
		expect(judged).toMatchObject({ verdict: "passed" });
	});
});

describe("a window whose round before the work runs", () => {
	/**
	 * Starts a window, and holds the answer to its run before the work. Returns a function that lets
	 * it go and waits for the end of the run.
	 */
	async function startHeld(id: string): Promise<() => Promise<void>> {
		const release = held.hold(/fvBD/);
		const { length } = held.asked;
		expect((await move(id, "start")).status).toBe(200);
		await waitUntilAfter(windows.t.clock, 1_000, "the controller is asked", () => held.asked.length > length);
		const { run_id: run } = (await read(id)).connections[0].items[0].before;
		return async () => {
			release();
			await waitUntil("the run has ended", async () => {
				const { status } = (await windows.ada.api.get(`${RUNS}${run}/`)).body;
				return status !== "running" && status !== "pending";
			});
			await windows.t.clock.advance(5_000);
		};
	}

	it("stays cancelled when the run ends after it", async () => {
		const { id } = await window();
		const endRun = await startHeld(id);
		expect((await move(id, "cancel")).body).toMatchObject({ state: "cancelled", next_at: null });
		await endRun();
		expect(await read(id)).toMatchObject({ state: "cancelled", gate: null, opened_at: null });
		expect((await listEvents(id)).at(-1)).toMatchObject({ event: "cancel", user: "ada", to_state: "cancelled" });
		expect((await move(id, "start")).status).toBe(409);
	});

	it("expires at ends_at, and stays so when the run ends after it", async () => {
		const { id } = await window({ ends_at: formatTime(30_000) });
		const endRun = await startHeld(id);
		expect(await read(id)).toMatchObject({ state: "checking_before" });
		expect(await reach(id, "expired")).toMatchObject({ next_at: null, opened_at: null });
		await endRun();
		expect(await read(id)).toMatchObject({ state: "expired", gate: null, opened_at: null });
		expect((await listEvents(id)).at(-1)).toEqual({
			event: "expire",
			user: null,
			to_state: "expired",
			detail: "The window had not opened before its end.",
		});
	});

	it("expires at ends_at while it is blocked", async () => {
		const { id } = await window({ ends_at: formatTime(60_000) });
		windows.lab.setFaults({ busy: { match: "fvBD" } });
		await move(id, "start");
		await reach(id, "blocked");
		windows.lab.clearFaults();
		await reach(id, "expired");
		expect((await move(id, "retry")).status).toBe(409);
	});
});

describe("a window that is over", () => {
	it("goes 400 days after its end, while others stay", async () => {
		const [old, young, undecided, judged] = [await window(), await window(), await window(), await window()];
		for (const { id } of [old, young]) await move(id, "cancel");
		await windows.t.pool.query("update change_windows set state = 'judged' where id = $1", [judged.id]);
		const setAge = (id: string, days: number) =>
			windows.t.pool.query("update change_windows set updated_at = $2 where id = $1", [
				id,
				new Date(windows.t.clock.now() - days * 24 * HOUR_MS),
			]);
		await setAge(old.id, 400.1);
		await setAge(young.id, 399.5);
		await setAge(undecided.id, 500);
		await setAge(judged.id, 401);
		await windows.t.clock.advance(HOUR_MS + 1_000);
		await waitUntil(
			"the old window is gone",
			async () => (await windows.ada.api.get(`${WINDOWS}${old.id}/`)).status === 404,
		);
		expect((await windows.ada.api.get(`${WINDOWS}${judged.id}/`)).status).toBe(404);
		expect(await read(young.id)).toMatchObject({ state: "cancelled" });
		expect(await read(undecided.id)).toMatchObject({ state: "planned" });
	});
});
