/** `weft model`, on a model that was imported from the simulated publishing site. */
import { type RunningModelSource, startModelSource } from "@weft/lab";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createModelSource } from "../../server/src/adapters/model-source/index.ts";
import { systemClock } from "../../server/src/adapters/system/clock.ts";
import { until } from "../../server/test/support/harness.ts";
import { useCli } from "./support/cli.ts";

let site: RunningModelSource;
const cli = useCli({
	async deps() {
		site = await startModelSource({ classes: 60, dnFormats: 100 });
		const version = { url: site.url, classCount: 60, notes: "", key: "611", label: "6.1(1)", fallbackChain: [] };
		return {
			modelSource: createModelSource({ pacing: { ...systemClock, random: () => 0 }, waitMs: 1, retries: 2 }),
			modelSettings: { versions: [version], folder: null, concurrency: 4 },
		};
	},
});
const model = (...args: string[]) => cli.weft("model", ...args);
let parent: string;
let child: string;

beforeAll(async () => {
	const registry = "/api/mim-registry/";
	const { body } = await cli.t.admin.api.post(`${registry}remote/install/`, { version_key: "611" });
	await until("the model is loaded", async () => {
		const { body: answer } = await cli.t.admin.api.get(`${registry}remote/runs/${body.run_id}/`);
		return answer.run.state === "completed";
	});
	const { body: roots } = await cli.ada.api.get("/api/mim/explorer/tree/");
	parent = roots.find(({ has_children }: { has_children: boolean }) => has_children).name;
	const { body: children } = await cli.ada.api.get(`/api/mim/explorer/tree/?parent=${parent}`);
	child = children[0].name;
});
afterAll(() => site.close());

describe("weft model", () => {
	it("searches", async () => {
		const { body } = await cli.ada.api.get(`/api/mim/search/?q=${parent}&limit=5`);
		const found = await model("search", parent, "--limit", "5", "--format", "json");
		expect(JSON.parse(found.stdout)).toEqual(body.results);
		expect((await model("search", parent, "--type", "class")).stdout).toMatch(new RegExp(`^class +${parent} `, "m"));
		expect(await model("search", parent, "--limit", "many")).toMatchObject({ code: 2 });
	});

	it("shows a class, and near names for an unknown one", async () => {
		const { body } = await cli.ada.api.get(`/api/mim/explorer/class/${parent}/`);
		expect(JSON.parse((await model("class", parent, "--format", "json")).stdout)).toEqual(body);
		expect((await model("class", parent)).stdout).toMatch(new RegExp(`^name +${parent}$`, "m"));
		const unknown = await model("class", `${parent}x`);
		expect(unknown).toMatchObject({ code: 2, stderr: expect.stringContaining(`Did you mean "${parent}"`) });
		expect(await model("class", "no class")).toMatchObject({ code: 2 });
	});

	it("shows the paths between two classes", async () => {
		const path = await model("path", parent, child, "--over", "containment", "--format", "json");
		expect(JSON.parse(path.stdout)).toMatchObject({ from: parent, to: child, length: 1 });
		expect((await model("path", parent, child)).stdout).toContain(`${parent}, contains ${child}`);
		expect(await model("path", parent, `${child}x`)).toMatchObject({ code: 2 });
	});

	it("takes a DN apart", async () => {
		const { body } = await cli.ada.api.get("/api/mim/dn/?dn=uni/tn-prod");
		expect(JSON.parse((await model("dn", "uni/tn-prod", "--format", "json")).stdout)).toEqual(body);
		expect((await model("dn", "uni/tn-prod")).stdout).toMatch(/^rn +class +naming +dn\nuni /);
	});
});
