import { describe, expect, test } from "vitest";
import { findBrowser } from "./find-browser.ts";

describe("the browser of the tests", () => {
	test("is the one that WEFT_TEST_BROWSER names", () => {
		expect(findBrowser({ WEFT_TEST_BROWSER: process.execPath }, ["/usr/bin/env"])).toEqual({ path: process.execPath });
	});

	test("is the first one that is installed", () => {
		const installed = ["/nowhere/chromium", process.execPath, import.meta.filename];
		expect(findBrowser({}, installed)).toEqual({ path: process.execPath });
	});

	test("is not replaced by another one if the named one is missing", () => {
		const reason = "WEFT_TEST_BROWSER names /nowhere/chromium, which does not exist";
		const named = { WEFT_TEST_BROWSER: "/nowhere/chromium" };
		expect(findBrowser(named, [process.execPath])).toEqual({ path: null, reason });
	});
});
