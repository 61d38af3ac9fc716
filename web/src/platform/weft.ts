/** The client of this tab, its session and its cache of answers. The only place that makes them. */
import { MutationCache, QueryCache, QueryClient } from "@tanstack/react-query";
import { createCaller } from "@weft/sdk";
import { fetchWithRetryAfter } from "./fetch-with-retry.ts";
import { isWorthRetrying, needsFirstSteps, reportProgramError } from "./problem.ts";
import { createSession } from "./session.ts";

/** Where the page was loaded from, base path included, without a slash at the end. */
export const baseUrl = document.baseURI.replace(/[^/]*$/, "").replace(/\/+$/, "");
/** For the router: the path part of it, with a slash at both ends. */
export const basePath = `${new URL(document.baseURI).pathname.replace(/[^/]*$/, "")}`;

export const session = createSession((options) => createCaller({ baseUrl, fetch: fetchWithRetryAfter, ...options }));
export const client = session.client;

/** Answers stay on the screen while newer ones are fetched. */
const FRESH_MS = 15_000;
const KEPT_MS = 10 * 60_000;

/**
 * Whatever becomes of the failed call: an error of the program is shown, and logged. A session that
 * needs another password or a second factor goes to the page for it.
 */
const caught = {
	onError(error: unknown) {
		if (needsFirstSteps(error)) location.assign(`${basePath}first-steps`);
		reportProgramError(error);
	},
};

export const queries = new QueryClient({
	queryCache: new QueryCache(caught),
	mutationCache: new MutationCache(caught),
	defaultOptions: {
		queries: {
			staleTime: FRESH_MS,
			gcTime: KEPT_MS,
			refetchOnWindowFocus: false,
			retry: (failures, error) => failures < 2 && isWorthRetrying(error),
			retryDelay: (failures) => 500 * 2 ** failures,
		},
	},
});

// What one person saw is not for the next one at this screen.
session.subscribe(() => {
	if (session.state().status === "out") queries.clear();
});
