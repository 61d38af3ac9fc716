/** A button that sends a mail to the signed-in person, and its outcome. */
import { serviceRoutes } from "@weft/contracts/browser";
import { Mail } from "lucide-react";
import { callRoute, useAction } from "../../platform/call.ts";
import { Button } from "../../ui/button.tsx";
import { Banner, ProblemBanner } from "../../ui/page.tsx";

export function TestMail() {
	const test = useAction(() => callRoute(serviceRoutes.testMail), { stale: [] });
	return (
		<div className="flex flex-col items-start gap-2">
			<Button icon={Mail} busy={test.isPending} onClick={() => test.mutate(undefined)}>
				Send me a test mail
			</Button>
			{test.error !== null && <ProblemBanner error={test.error} />}
			{test.data !== undefined && (
				<div role="status">
					<Banner tone={test.data.success ? "ok" : "warn"} title={test.data.message} />
				</div>
			)}
		</div>
	);
}
