/** What a test of a connection found. */
import { formatDuration } from "../../../platform/format.ts";
import { Banner } from "../../../ui/page.tsx";
import type { TestOutcome } from "./outcome.ts";

export function OutcomeBanner({ outcome }: { outcome: TestOutcome }) {
	if (!outcome.success) return <Banner tone="bad" title={outcome.message} detail={outcome.advice} />;
	return <Banner tone="ok" title={outcome.message} detail={`It took ${formatDuration(outcome.latency_ms)}.`} />;
}
