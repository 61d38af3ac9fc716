import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createSession } from "./session.ts";

/** The storage of a browser or of a tab. */
function createStorage() {
	const items = new Map<string, string>();
	return {
		items,
		getItem: (key: string) => items.get(key) ?? null,
		setItem: (key: string, value: string) => void items.set(key, value),
		removeItem: (key: string) => void items.delete(key),
	};
}

let local = createStorage();
let tab = createStorage();
beforeEach(() => {
	local = createStorage();
	tab = createStorage();
	vi.stubGlobal("localStorage", local);
	vi.stubGlobal("sessionStorage", tab);
	vi.stubGlobal("BroadcastChannel", undefined);
});
afterEach(() => vi.unstubAllGlobals());

type Options = Parameters<Parameters<typeof createSession>[0]>[0];

/** A session whose sign-in stores a refresh token. */
function createSignIn() {
	let options: Options = {};
	const session = createSession((given) => {
		options = given;
		return {} as ReturnType<Parameters<typeof createSession>[0]>;
	});
	return {
		signIn(keepsSignedIn: boolean) {
			session.remember(keepsSignedIn);
			options.onTokens?.({ access: "access", refresh: "refresh" });
		},
	};
}

describe("the refresh token of a session", () => {
	it("is stored in the browser if the user stays signed in, else in the tab", () => {
		const { signIn } = createSignIn();
		signIn(true);
		expect([local.getItem("weft.session"), tab.getItem("weft.session")]).toEqual(["refresh", null]);
		signIn(false);
		expect([local.getItem("weft.session"), tab.getItem("weft.session")]).toEqual([null, "refresh"]);
		expect(local.items.size).toBe(0);
	});
});
