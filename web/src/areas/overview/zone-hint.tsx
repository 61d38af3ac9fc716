/** A question to a person whose times are shown in UTC while the browser is elsewhere. */
import { authRoutes } from "@weft/contracts/browser";
import { callRoute, useAction } from "../../platform/call.ts";
import { useProfile } from "../../platform/profile.ts";
import { Button } from "../../ui/button.tsx";
import { Banner } from "../../ui/page.tsx";
import { showProblem } from "../../ui/toast.tsx";

/** A profile that was never set up is in UTC; the browser knows better. */
export function ZoneHint() {
	const profile = useProfile();
	const here = Intl.DateTimeFormat().resolvedOptions().timeZone;
	const take = useAction(() => callRoute(authRoutes.updatePreferences, { body: { timezone: here } }), {
		stale: ["auth", "time_machine"],
		onError: (error) => showProblem(error),
	});
	const asked = localStorage.getItem("weft.zone") === here;
	if (profile === undefined || profile.preferences.timezone !== "UTC" || here === "UTC" || !here || asked) return null;
	const keep = () => {
		localStorage.setItem("weft.zone", here);
		take.reset();
	};
	return (
		<Banner
			tone="info"
			title="Times are shown in UTC."
			detail={`This browser is in ${here}.`}
			action={
				<>
					<Button busy={take.isPending} onClick={() => take.mutate()}>
						Use {here}
					</Button>
					<Button variant="ghost" onClick={keep}>
						Keep UTC
					</Button>
				</>
			}
		/>
	);
}
