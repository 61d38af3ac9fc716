/** The first setup of a service: fabric, automation server, mail and people. */
import { getRouteApi } from "@tanstack/react-router";
import type { Setup } from "@weft/contracts";
import { automationConnectionRoutes, type SetupStep, serviceRoutes } from "@weft/contracts/browser";
import { Circle, CircleCheck, CircleMinus } from "lucide-react";
import { type ReactNode, useState } from "react";
import { callRoute, invalidateAreas, useAction, useAnswer } from "../../platform/call.ts";
import { useConnections } from "../../platform/target.ts";
import { Button, ButtonLink } from "../../ui/button.tsx";
import { joinClasses } from "../../ui/classes.ts";
import { Banner, Loaded, PageHead, Panel, ProblemBanner } from "../../ui/page.tsx";
import { InviteDialog } from "../accounts/people/invite.tsx";
import { ServerForm } from "../automation/servers.tsx";
import { ConnectionForm } from "../fabrics/connections/form.tsx";
import { TestMail } from "./test-mail.tsx";

const route = getRouteApi("/app/setup");

interface StepWords {
	readonly title: string;
	readonly text: string;
	/** Label of the button that opens the form; null: the step has no form. */
	readonly verb: string | null;
}

const STEPS: Readonly<Record<SetupStep, StepWords>> = {
	fabric: {
		title: "Fabric",
		text: "Connect the first Cisco ACI fabric: the address of its controllers and a login that may read.",
		verb: "Add a fabric",
	},
	automation: {
		title: "Automation server",
		text: "Connect AWX or Ansible Automation Platform, if approved requests are to change the fabric.",
		verb: "Add a server",
	},
	mail: {
		title: "Mail",
		text: "Invitations, alerts and new passwords go out by mail. The settings are in the environment of the service.",
		verb: null,
	},
	people: {
		title: "People",
		text: "Paste the addresses of your team, choose a role, and invite them. Each person sets a password of their own.",
		verb: "Invite people",
	},
};

export function SetupPage() {
	const answer = useAnswer(serviceRoutes.setup);
	return (
		<>
			<PageHead
				title="First setup"
				crumbs={[{ label: "Administration" }]}
				facts="Each step can be left out and taken up again later."
				actions={<ButtonLink to="/">To the overview</ButtonLink>}
			/>
			<div className="px-5 pb-5 max-sm:px-4">
				<Loaded answer={answer} lines={6}>
					{(setup) => <Steps setup={setup} />}
				</Loaded>
			</div>
		</>
	);
}

function Steps({ setup: { steps, is_complete } }: { readonly setup: Setup }) {
	const { step: asked } = route.useSearch();
	const navigate = route.useNavigate();
	const [opened, setOpened] = useState<SetupStep | null>(null);
	const choose = (step: SetupStep | undefined) => void navigate({ search: { step }, replace: true });
	const open = steps.find(({ state }) => state === "open");
	const current = steps.find(({ step }) => step === asked) ?? open;
	const skip = useAction((skipped: SetupStep[]) => callRoute(serviceRoutes.changeSetup, { body: { skipped } }), {
		stale: ["service"],
		onSuccess: () => choose(undefined),
	});
	const skipped = steps.filter(({ state }) => state === "skipped").map(({ step }) => step);
	const close = () => {
		setOpened(null);
		choose(undefined);
		void invalidateAreas("service");
	};
	return (
		<div className="grid items-start gap-3 md:grid-cols-[14rem_minmax(0,1fr)]">
			<nav aria-label="Steps" className="flex flex-col gap-1">
				{steps.map(({ step, state }) => (
					<button
						key={step}
						type="button"
						aria-current={step === current?.step ? "step" : undefined}
						className={joinClasses(
							"flex h-9 items-center gap-2 rounded-control px-2 text-left hover:bg-line",
							step === current?.step && "bg-accent-soft font-medium text-accent-text",
						)}
						onClick={() => choose(step)}
					>
						<StepIcon state={state} />
						{STEPS[step].title}
					</button>
				))}
			</nav>
			{skip.error !== null && <ProblemBanner error={skip.error} />}
			{current === undefined ? (
				<Banner
					tone="ok"
					title={is_complete && skipped.length === 0 ? "Everything is set up." : "Nothing is left to do."}
					detail="Choose a step to come back to it."
					action={
						<ButtonLink variant="primary" to="/">
							To the overview
						</ButtonLink>
					}
				/>
			) : (
				<Panel title={STEPS[current.step].title} padded>
					<StepBody
						step={current.step}
						state={current.state}
						onOpen={() => setOpened(current.step)}
						onSkip={() => skip.mutate([...skipped, current.step])}
						onResume={() => skip.mutate(skipped.filter((each) => each !== current.step))}
						onNext={() => choose(steps.find(({ step, state }) => state === "open" && step !== current.step)?.step)}
					/>
				</Panel>
			)}
			{opened !== null && <StepForm step={opened} onClose={close} />}
		</div>
	);
}

function StepIcon({ state }: { readonly state: Setup["steps"][number]["state"] }) {
	if (state === "done") return <CircleCheck size={16} className="text-ok" role="img" aria-label="Done" />;
	if (state === "skipped") return <CircleMinus size={16} className="text-muted" role="img" aria-label="Left out" />;
	return <Circle size={16} className="text-muted" role="img" aria-label="To do" />;
}

interface StepBodyProps {
	readonly step: SetupStep;
	readonly state: Setup["steps"][number]["state"];
	onOpen(): void;
	onSkip(): void;
	onResume(): void;
	onNext(): void;
}

function StepBody({ step, state, onOpen, onSkip, onResume, onNext }: StepBodyProps) {
	const { text, verb } = STEPS[step];
	return (
		<div className="flex flex-col items-start gap-3">
			<p className="m-0">{text}</p>
			{state === "done" && <Banner tone="ok" title="This step is done." />}
			{state === "skipped" && <Banner tone="info" title="This step was left out." />}
			{step === "mail" && <MailHelp isDone={state === "done"} />}
			<div className="flex flex-wrap gap-2">
				{verb !== null && (
					<Button variant={state === "done" ? "default" : "primary"} onClick={onOpen}>
						{state === "done" ? `${verb}, one more` : verb}
					</Button>
				)}
				{state === "open" && <Button onClick={onSkip}>Leave this step out</Button>}
				{state === "skipped" && <Button onClick={onResume}>Take this step up again</Button>}
				{state === "done" && <Button onClick={onNext}>Next step</Button>}
			</div>
		</div>
	);
}

const Setting = ({ children }: { readonly children: ReactNode }) => <code className="mono">{children}</code>;

function MailHelp({ isDone }: { readonly isDone: boolean }) {
	if (isDone) return <TestMail />;
	return (
		<p className="m-0">
			Set <Setting>WEFT_SMTP_URL</Setting>, <Setting>WEFT_SMTP_FROM</Setting> and <Setting>WEFT_FRONTEND_URL</Setting>,
			and start Weft again. Without mail, the link of an invitation is shown to you once, to pass on yourself.
		</p>
	);
}

/** The form of a step: the same as on the page of its objects. */
function StepForm({ step, onClose }: { readonly step: SetupStep; onClose(): void }) {
	if (step === "fabric") return <FabricForm onClose={onClose} />;
	if (step === "automation") return <AutomationForm onClose={onClose} />;
	return <InviteDialog onClose={onClose} />;
}

function FabricForm({ onClose }: { onClose(): void }) {
	const [made, setMade] = useState<string | null>(null);
	const connection = useConnections().data?.results.find(({ id }) => id === made) ?? null;
	return <ConnectionForm connection={connection} onClose={onClose} onMade={setMade} />;
}

function AutomationForm({ onClose }: { onClose(): void }) {
	const [made, setMade] = useState<string | null>(null);
	const answer = useAnswer(automationConnectionRoutes.list, { query: { page_size: "200" } });
	const server = answer.data?.results.find(({ id }) => id === made) ?? null;
	return <ServerForm server={server} onClose={onClose} onMade={setMade} />;
}
