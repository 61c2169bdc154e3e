// Package shared is what every Go program of the conformance suites does.
package shared

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"reflect"
	"strings"
	"time"

	"github.com/stripe/stripe-go/v85"
	"github.com/stripe/stripe-go/v85/webhook"
)

func backends(retries int64) *stripe.Backends {
	return stripe.NewBackendsWithConfig(&stripe.BackendConfig{
		URL:               stripe.String(os.Getenv("TWIN_URL")),
		MaxNetworkRetries: stripe.Int64(retries),
		LeveledLogger:     &stripe.LeveledLogger{Level: stripe.LevelNull},
	})
}

// Backend is for the packages of single resources.
func Backend() stripe.Backend { return backends(0).API }

// Connect makes a client for a key.
func Connect(key string, retries int64) *stripe.Client {
	return stripe.NewClient(key, stripe.WithBackends(backends(retries)))
}

// Client uses the twin's secret key.
var Client = Connect(os.Getenv("SECRET_KEY"), 0)

// Check is an error with a text unless ok.
func Check(ok bool, text string, values ...any) error {
	if ok {
		return nil
	}
	return fmt.Errorf(text, values...)
}

// Refused is an error unless err is Stripe's with this status, and code and param where given.
func Refused(err error, status int, code, param string) error {
	var problem *stripe.Error
	if !errors.As(err, &problem) {
		return fmt.Errorf("nothing was refused: %v", err)
	}
	if problem.HTTPStatusCode != status || (code != "" && string(problem.Code) != code) || (param != "" && problem.Param != param) {
		return fmt.Errorf("refused with %d %s %s: %s", problem.HTTPStatusCode, problem.Code, problem.Param, problem.Msg)
	}
	return nil
}

// Scenario is one journey: Must, Equal, Problem and Fail end it.
type Scenario struct {
	Name string
	Run  func()
}

// Run prints `ok NAME` or `not ok NAME: why` for each.
func Run(scenarios []Scenario) {
	for _, scenario := range scenarios {
		if err := attempt(scenario); err != nil {
			fmt.Printf("not ok %s: %s\n", scenario.Name, strings.ReplaceAll(err.Error(), "\n", " "))
		} else {
			fmt.Printf("ok %s\n", scenario.Name)
		}
	}
}

type failure struct{ error }

func attempt(scenario Scenario) (err error) {
	defer func() {
		if found := recover(); found != nil {
			wrong, ours := found.(failure)
			if !ours {
				panic(found)
			}
			err = wrong.error
		}
	}()
	scenario.Run()
	return nil
}

// Fail ends the scenario when err is not nil.
func Fail(err error) {
	if err != nil {
		panic(failure{err})
	}
}

// All collects every object of a list.
func All[T any](list *stripe.V1List[T]) (found []T) {
	for one, err := range list.All(context.Background()) {
		found = append(found, Must(one, err))
	}
	return found
}

// Must is the value, or ends the scenario with the error.
func Must[T any](value T, err error) T {
	Fail(err)
	return value
}

// Equal ends the scenario when two values differ.
func Equal(found, expected any) {
	if !reflect.DeepEqual(found, expected) {
		panic(failure{fmt.Errorf("%v is not %v", found, expected)})
	}
}

// Problem is Stripe's error of this status, code and param, or ends the scenario.
func Problem(err error, status int, code, param string) *stripe.Error {
	Fail(Refused(err, status, code, param))
	var problem *stripe.Error
	errors.As(err, &problem)
	return problem
}

// Authenticate does what the bank's page does when the customer confirms the challenge of an intent.
func Authenticate(intent *stripe.PaymentIntent) {
	address := Must(url.Parse(intent.NextAction.RedirectToURL.URL))
	answer := Must(http.PostForm(os.Getenv("TWIN_URL")+"/v1/3ds2/challenge_complete", url.Values{
		"key":           {os.Getenv("PUBLISHABLE_KEY")},
		"source":        {address.Query().Get("source")},
		"client_secret": {intent.ClientSecret},
		"outcome":       {"succeeded"},
	}))
	defer answer.Body.Close()
	Equal(answer.StatusCode, 200)
}

// Inbox is a webhook endpoint of one's own.
type Inbox struct{ events chan stripe.Event }

// Receive opens an inbox for these types of events.
func Receive(types ...string) *Inbox { return receive(false, types) }

// ReceiveConnect opens one for events of connected accounts.
func ReceiveConnect(types ...string) *Inbox { return receive(true, types) }

func receive(connect bool, types []string) *Inbox {
	inbox := &Inbox{make(chan stripe.Event, 100)}
	listener := Must(net.Listen("tcp", "127.0.0.1:0"))
	made := Must(Client.V1WebhookEndpoints.Create(context.Background(), &stripe.WebhookEndpointCreateParams{
		URL:           stripe.String("http://" + listener.Addr().String() + "/hook"),
		EnabledEvents: stripe.StringSlice(types),
		Connect:       stripe.Bool(connect),
		APIVersion:    stripe.String(stripe.APIVersion),
	}))
	go http.Serve(listener, http.HandlerFunc(func(response http.ResponseWriter, request *http.Request) {
		body, _ := io.ReadAll(request.Body)
		event, err := webhook.ConstructEvent(body, request.Header.Get("Stripe-Signature"), made.Secret)
		if err != nil {
			response.WriteHeader(400)
			return
		}
		inbox.events <- event
	}))
	return inbox
}

// Wait is the next verified event of a type.
func (inbox *Inbox) Wait(kind stripe.EventType) stripe.Event {
	overdue := time.After(30 * time.Second)
	for {
		select {
		case event := <-inbox.events:
			if event.Type == kind {
				return event
			}
		case <-overdue:
			panic(failure{fmt.Errorf("no %s came", kind)})
		}
	}
}
