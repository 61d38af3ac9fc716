/** Rounds of a window with two items, of which one settles at once and the other flaps. */
import { beforeAll, describe, expect, it } from "vitest";
import { buildClassNode, connectNodes, output, RUNS } from "../support/canvases.ts";
import { addQuery } from "../support/tasks.ts";
import { useWindows, WINDOWS } from "../support/windows.ts";

const windows = useWindows();
const { window, open, stepRounds } = windows;

const PORT = "topology/pod-1/node-101/sys/phys-[eth1/40]/phys";
const setPort = (operSt: string) => windows.setObjects({ ethpmPhysIf: { attributes: { dn: PORT, operSt } } });
const SETTLE = { delay_s: 0, interval_s: 10, stable_rounds: 1, timeout_s: 300 };
let ports: string;
beforeAll(async () => {
	const flow_data = connectNodes(buildClassNode("ethpmPhysIf"), output);
	ports = await addQuery(windows.ada.api, { flow_data, enable_time_machine: true });
});

interface Item {
	readonly settled: boolean;
	readonly after: { readonly run_id: string };
}

/** Number of captures in each round after the work, from the events of the window. */
async function countCaptures(id: string): Promise<number[]> {
	const { results } = (await windows.ada.api.get(`${WINDOWS}${id}/events/`)).body;
	return results.flatMap(({ detail }: { detail: string }) => {
		const found = /^Round \d+ after the work, (\d+) captures?$/.exec(detail);
		return found === null ? [] : [Number(found[1])];
	});
}

describe("an item that settles while another one flaps", () => {
	it("is left out of the rounds until the common last one, which has all items", async () => {
		setPort("up");
		const { id } = await window({}, { items: [{ query: windows.query }, { query: ports }], settle: SETTLE });
		await open(id);
		const settled: boolean[][] = [];
		const judged = await stepRounds(id, (round, { state, connections }) => {
			if (state === "settling") settled.push(connections[0].items.map((item: Item) => item.settled));
			setPort(round < 6 && round % 2 === 0 ? "down" : "up");
		});
		expect(judged).toMatchObject({ verdict: "passed", phases: { after: { settled: true } } });
		// Rounds 2 to 5 differ in the port. Round 6 equals round 5, and all items follow in round 7.
		expect(await countCaptures(id)).toEqual([2, 2, 1, 1, 1, 2]);
		expect(settled).toEqual([
			[false, false],
			[false, false],
			[true, false],
			[true, false],
			[true, false],
			[true, true],
		]);
		const items: Item[] = judged.connections[0].items;
		const runs = await Promise.all(
			items.map(async ({ after }) => (await windows.ada.api.get(`${RUNS}${after.run_id}/`)).body),
		);
		expect(new Set(runs.map(({ created_at }) => created_at)).size).toBe(1);
	});
});
