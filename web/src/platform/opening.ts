/** Data of the frame of a new tab, fetched by one call; later each part has its own call. */
import type { Opening } from "@weft/contracts";
import { dashboardRoutes } from "@weft/contracts/browser";
import { callRoute } from "./call.ts";
import { reportProgramError } from "./problem.ts";
import { session } from "./weft.ts";

/** Maximum age in milliseconds. */
const FRESH_MS = 15_000;

let opening: { readonly answer: Promise<Opening>; readonly at: number; readonly given: Set<keyof Opening> } | null =
	null;

type Part<Name extends keyof Opening> = NonNullable<Opening[Name]>;

/** Returns a part once while it is fresh; afterwards, or if missing, uses its own call. */
export async function readOpeningPart<Name extends keyof Opening>(
	name: Name,
	call: () => Promise<Part<Name>>,
): Promise<Part<Name>> {
	opening ??= { answer: callRoute(dashboardRoutes.opening), at: Date.now(), given: new Set() };
	const { answer, at, given } = opening;
	if (given.has(name) || Date.now() - at > FRESH_MS) return call();
	given.add(name);
	const found = await answer.catch((error: unknown) => {
		reportProgramError(error);
		return null;
	});
	return found?.[name] ?? call();
}

// The next one to sign in has an opening of their own.
session.subscribe(() => {
	if (session.state().status === "out") opening = null;
});
