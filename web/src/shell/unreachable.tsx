/** A kept session, and a service that does not answer whether it still holds. */
import { session } from "../platform/weft.ts";
import { ProblemBanner } from "../ui/page.tsx";

export function Unreachable() {
	const state = session.state();
	return (
		<main className="mx-auto mt-[16vh] flex max-w-lg flex-col gap-4 px-4">
			<h1 className="m-0 font-semibold text-title">Weft</h1>
			<ProblemBanner error={state.status === "unreachable" ? state.error : null} onRetry={() => location.reload()} />
		</main>
	);
}
