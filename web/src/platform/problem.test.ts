/** Kinds of failures: answers of the service, requests without an answer, errors of the program. */
import { authRoutes } from "@weft/contracts";
import { WeftError } from "@weft/sdk";
import { describe, expect, it } from "vitest";
import { SaveConflict } from "./conflict.ts";
import { UnreachableError, UserError } from "./failures.ts";
import { findProblem, isProgramError, isWorthRetrying } from "./problem.ts";

const createRefusal = (status: number, body: unknown = {}) =>
	new WeftError(new Response(null, { status }), body, authRoutes.profile);

describe("a failure", () => {
	it.each([
		["a missing member", new TypeError("Cannot read properties of undefined (reading 'severity')")],
		["a number out of range", new RangeError("Invalid array length")],
		["an answer that is no JSON", new SyntaxError("Unexpected token '<'")],
		["a thrown text", "broken"],
		["a rejection without a reason", undefined],
	])("of the program is named as such and not repeated: %s", (_, error) => {
		expect(isProgramError(error)).toBe(true);
		expect(isWorthRetrying(error)).toBe(false);
		expect(findProblem(error)).toMatchObject({ title: "This part of the page failed" });
	});

	it.each([
		["a fetch that failed", new UnreachableError(new TypeError("Failed to fetch"))],
		["a script in Chromium", new TypeError("Failed to fetch dynamically imported module: /assets/run.js")],
		["a script in Firefox", new TypeError("error loading dynamically imported module: /assets/run.js")],
		["a script in Safari", new TypeError("Importing a module script failed.")],
	])("of the network is named as such and repeated: %s", (_, error) => {
		expect(isProgramError(error)).toBe(false);
		expect(isWorthRetrying(error)).toBe(true);
		expect(findProblem(error)).toMatchObject({ title: "Weft is unreachable" });
	});

	it("that the user can mend shows its message alone", () => {
		const error = new UserError("No default fabric.");
		expect(isProgramError(error)).toBe(false);
		expect(findProblem(error)).toMatchObject({ title: "Not done", detail: "No default fabric." });
		expect(isProgramError(new SaveConflict({}, {}, [], () => {}))).toBe(false);
	});

	it("of the service keeps its words, and is repeated only where it may pass", () => {
		expect(findProblem(createRefusal(409, { detail: "The execution is over." }))).toMatchObject({
			title: "Conflict",
			detail: "The execution is over.",
		});
		expect([500, 502, 503, 504].filter((status) => isWorthRetrying(createRefusal(status)))).toEqual([502, 503, 504]);
	});

	it.each([
		["message", { success: false, message: "The token is refused." }, "The token is refused."],
		["detail", { detail: "The token is refused." }, "The token is refused."],
		["error", { success: false, error: "The target answered 500." }, "The target answered 500."],
		["message beside lists", { message: "The token is refused.", members: [{ url: "a" }] }, "The token is refused."],
		["message beside a field", { non_field_errors: ["Give one."], message: "No." }, "Give one."],
	])("with status 400 shows the service's own sentence: %s", (_, body, detail) => {
		expect(findProblem(createRefusal(400, body)).detail).toBe(detail);
	});

	it("is none where a request was cancelled", () => {
		expect(isProgramError(new DOMException("aborted", "AbortError"))).toBe(false);
	});
});
