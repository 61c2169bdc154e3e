// A form that is sent once at a time, with what the server said when it refused.
import { ref } from "vue";

export function useForm(send) {
  const problem = ref("");
  const busy = ref(false);
  async function submit() {
    if (busy.value) return;
    busy.value = true;
    problem.value = "";
    try {
      await send();
    } catch (error) {
      problem.value = error.message;
    } finally {
      busy.value = false;
    }
  }
  return { problem, busy, submit };
}
