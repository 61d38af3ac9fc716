/** Pages outside the frame that are seldom seen, in one script. */
export { FirstStepsPage } from "./first-steps.tsx";
export { InvitationPage } from "./invitation.tsx";
export { NewPasswordPage, ResetPage } from "./reset.tsx";
export { TerminalPage } from "./terminal.tsx";
