/** What the browser gets of the contracts: every route and channel as it is, and nothing that validates. */
import * as contracts from "@weft/contracts";
import { expect, it } from "vitest";
import { slimContracts } from "./slim-contracts.ts";

async function load(): Promise<Record<string, unknown>> {
	const { load: loader } = slimContracts() as unknown as { load(id: string): Promise<string> };
	const code = await loader("\0weft-contracts");
	const entries = [...code.matchAll(/^export const (\w+) = .*?JSON\.parse\((".*")\);$/gm)];
	return Object.fromEntries(entries.map(([, name = "", text = '""']) => [name, JSON.parse(JSON.parse(text))]));
}

it("has all routes with their methods and paths, and the constants, but no schema and no function", async () => {
	const slim = await load();
	const areas = slim.areas as Record<
		string,
		Record<string, { id: string; method: string; path: string; auth: string }>
	>;
	const routes = Object.values(areas).flatMap((area) => Object.values(area));
	expect(routes).toEqual(contracts.allRoutes.map(({ id, method, path, auth }) => ({ id, method, path, auth })));
	expect(slim.FREQUENCIES).toEqual(contracts.FREQUENCIES);
	expect(slim.chainExecutionChannel).toEqual({
		path: contracts.chainExecutionChannel.path,
		frames: Object.fromEntries(Object.keys(contracts.chainExecutionChannel.frames).map((type) => [type, true])),
		final: contracts.chainExecutionChannel.final,
	});
	expect(slim).not.toHaveProperty("savedQuery");
	expect(slim).not.toHaveProperty("isTimeZone");
});
