/** The browser's part of the interface agrees with the whole in routes, channels and constants. */
import { describe, expect, it } from "vitest";
import * as browser from "./browser.ts";
import * as whole from "./index.ts";

type Entry = Readonly<Record<string, unknown>>;
type Area = Readonly<Record<string, Entry>>;

const isArea = (name: string): boolean => name.endsWith("Routes") && name !== "allRoutes";
const isChannel = (name: string): boolean => name.endsWith("Channel") && name !== "defineChannel";
const pickAddress = ({ id, method, path, auth }: Entry): Entry => ({ id, method, path, auth });
const pickAddresses = (area: Area): Area =>
	Object.fromEntries(Object.entries(area).map(([name, route]) => [name, pickAddress(route)]));
const pickChannel = ({ path, frames, final }: Entry): Entry => ({
	path,
	frameTypes: Object.keys(frames as Entry),
	final,
});
const isDifferent = (a: unknown, b: unknown): boolean => JSON.stringify(a) !== JSON.stringify(b);

/** Each name whose value in the browser is not the one of the whole interface. */
function findDifferences(part: Readonly<Record<string, unknown>>, all: Readonly<Record<string, unknown>>): string[] {
	const names = [...Object.keys(part), ...Object.keys(all).filter((name) => isArea(name) || isChannel(name))];
	return [...new Set(names)].filter((name) => {
		const [own, other] = [part[name], all[name]];
		if (own === undefined || other === undefined) return true;
		if (isArea(name)) return isDifferent(own, pickAddresses(other as Area));
		if (isChannel(name)) return isDifferent(own, pickChannel(other as Entry));
		return name !== "areas" && own !== other;
	});
}

describe("the browser's part of the interface", () => {
	it("has the routes, channels and constants of the whole interface", () => {
		expect(Object.keys(browser)).toEqual(
			expect.arrayContaining(["checkRoutes", "chainExecutionChannel", "DEFAULT_DRIFT_RULES"]),
		);
		expect(findDifferences(browser, whole)).toEqual([]);
	});

	it("has every route of the service in its areas", () => {
		const areas = Object.entries(whole.areas).map(([name, area]) => [name, pickAddresses(area)]);
		expect(browser.areas).toEqual(Object.fromEntries(areas));
		const routes = Object.values(browser.areas).flatMap((area: Area) => Object.values(area));
		expect(routes).toEqual(whole.allRoutes.map((route) => pickAddress({ ...route })));
	});

	it("has every channel of the service", () => {
		const channels = Object.entries(browser).flatMap(([name, value]) => (isChannel(name) ? [value] : []));
		expect(channels).toHaveLength(whole.allChannels.length);
	});

	it("differs as soon as a route, a channel or a constant of it does", () => {
		const list = { ...browser.checkRoutes.list, path: "/api/other/" };
		const planted = {
			...browser,
			checkRoutes: { ...browser.checkRoutes, list },
			groupRoutes: {},
			chainExecutionChannel: { ...browser.chainExecutionChannel, final: [] },
			DEFAULT_DRIFT_RULES: { ...browser.DEFAULT_DRIFT_RULES },
		};
		const names = ["DEFAULT_DRIFT_RULES", "chainExecutionChannel", "checkRoutes", "groupRoutes"];
		expect(findDifferences(planted, whole).sort()).toEqual(names);
		const { userRoutes: _, ...incomplete } = browser;
		expect(findDifferences(incomplete, whole)).toEqual(["userRoutes"]);
	});
});
