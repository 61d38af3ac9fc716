/**
 * Pages as chunks that are fetched when they are wanted. Where a chunk cannot be fetched, the shell
 * stays, says so, and tries again on demand.
 */
import { type ComponentType, useEffect, useReducer, useState } from "react";
import { fetchWithRetryAfter } from "../platform/fetch-with-retry.ts";
import { reportProgramError } from "../platform/problem.ts";
import { ProblemBanner, Skeleton } from "../ui/page.tsx";

const RELOADED = "weft.reloaded";

/** @param name of the module's export that is the page, a component without properties */
export function loadPage<Module>(load: () => Promise<Module>, name: keyof Module) {
	let Loaded: ComponentType | undefined;
	const fetchPage = async (): Promise<void> => {
		Loaded = (await load())[name] as ComponentType;
	};
	function Page() {
		const [, showPage] = useReducer((count: number) => count + 1, 0);
		return Loaded === undefined ? <Fetching fetchPage={fetchPage} onFetched={showPage} /> : <Loaded />;
	}
	// A failure is shown in place of the page, not when the pointer passes its link.
	Page.preload = () => fetchPage().catch(reportProgramError);
	return Page;
}

function Fetching({ fetchPage, onFetched }: { fetchPage(): Promise<void>; onFetched(): void }) {
	const [error, setError] = useState<unknown>(null);
	// biome-ignore lint/correctness/useExhaustiveDependencies: once, when it is shown
	useEffect(() => {
		fetchPage().then(onFetched, setError);
	}, []);
	if (error === null) return <Skeleton lines={6} className="max-w-xl p-5" />;
	// Browsers remember that a module could not be fetched: only a new document asks for it again.
	const retry = () =>
		isServed().then(
			(served) => served && location.reload(),
			(failure: unknown) => setError(failure),
		);
	return (
		<div className="p-5">
			<ProblemBanner error={error} onRetry={() => void retry()} />
		</div>
	);
}

/** Throws where there is no answer at all. */
async function isServed(): Promise<boolean> {
	return (await fetchWithRetryAfter(document.baseURI, { method: "HEAD", cache: "no-store" })).ok;
}

/**
 * A page of an older build asks for parts that a newer one does not have: it is loaded anew, once.
 * Not while the service does not answer: the browser would show a page of its own.
 */
export async function reloadForNewBuild(): Promise<void> {
	const served = await isServed().catch(() => false);
	if (!served || sessionStorage.getItem(RELOADED) !== null) return;
	sessionStorage.setItem(RELOADED, "1");
	location.reload();
}

/** A page that has lived for a while may be loaded anew again. */
export const forgetReload = (): void => sessionStorage.removeItem(RELOADED);
