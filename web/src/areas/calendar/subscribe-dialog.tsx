/** The address at which a calendar program reads the user's calendar. */
import { calendarFeedRoutes } from "@weft/contracts/browser";
import { callRoute, useAction } from "../../platform/call.ts";
import { Button } from "../../ui/button.tsx";
import { CopyButton } from "../../ui/copy.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { ProblemBanner } from "../../ui/page.tsx";
import { showToast } from "../../ui/toast.tsx";

export function SubscribeDialog({ onClose }: { onClose(): void }) {
	const make = useAction(() => callRoute(calendarFeedRoutes.create));
	const end = useAction(() => callRoute(calendarFeedRoutes.end), {
		onSuccess() {
			showToast("The address has ended");
			onClose();
		},
	});
	const problem = make.error ?? end.error;
	return (
		<Dialog
			open
			title="Subscribe to the calendar"
			description="Freezes, maintenance and schedules that you see, for your calendar program."
			onClose={onClose}
			actions={
				<>
					<Button busy={end.isPending} onClick={() => end.mutate(undefined)}>
						End my address
					</Button>
					<Button variant="primary" busy={make.isPending} onClick={() => make.mutate(undefined)}>
						Make an address
					</Button>
				</>
			}
		>
			<div className="flex flex-col gap-3">
				{problem !== null && <ProblemBanner error={problem} />}
				{make.data === undefined ? (
					<p className="m-0">A new address replaces your earlier one.</p>
				) : (
					<p className="m-0">
						<code className="mono break-all">{make.data.url}</code>{" "}
						<CopyButton text={make.data.url} label="Copy the address" />
						<br />
						All who have this address can read your calendar. It is shown only now.
					</p>
				)}
			</div>
		</Dialog>
	);
}
